import SessionMessaging

extension JSONForm {
  static let all: [JSONForm] =
    [
      account, keptAccount, listedAccount, message, quote, link, reaction, attachment, savedAttachment, event,
      chat,
      timer, contact, profile, setting, networkState, path, node, id, openedMessage,
    ] + upkeep + inspection + servers + [done, failure]

  private static let account = JSONForm(
    name: "account", summary: "an account that is not kept on this machine, or one that is shown",
    commands: ["account new", "account show", "account export-phrase"],
    members: [
      .required("id", .text, "what others write to"),
      .optional("recovery_phrase", .text, "the words that are the account, where they were asked for"),
    ])

  private static let keptAccount = JSONForm(
    name: "kept account", summary: "an account that was brought to this machine",
    commands: ["account new", "account restore"],
    members: [
      .required("id", .text, "what others write to"), .required("name", .text, "what it is called here"),
    ])

  private static let listedAccount = JSONForm(
    name: "listed account", summary: "an account of this machine", commands: ["account list"],
    members: [
      .required("name", .text, "what it is called here"),
      .required("network", .text, "main, test, devnet or the path of a network file"),
      .required("used", .boolean, "whether commands use it that name none"),
    ])

  private static let message = JSONForm(
    name: "message", summary: "a message of a conversation", commands: ["send", "show", "search", "chat"],
    members: [
      .type("message"),
      .required("id", .number, "the number it has on this device; other commands take it"),
      .required("conversation", .text, "the conversation, as commands take it"),
      .required("chat", .text, "the same, under its older name"),
      .required("from", .text, "the id of the author"),
      .required("from_name", .text, "what they are called here; me for the account itself"),
      .required("outgoing", .boolean, "whether the account wrote it, on any of its devices"),
      .required(
        "kind",
        .word([
          "message", "deleted", "deleted-here", "request-accepted", "timer-changed", "media-saved",
          "missed-call",
        ]),
        "a message, the mark of one that was deleted, or a note of the program"),
      .required("body", .text, "the text; empty for what has none"),
      .optional(
        "truncated", .boolean, "true if the end of the text is left out; 'show --full' gives all of it"),
      .optional("characters", .number, "how many characters a truncated text has in all"),
      .required("sent_at", .time, "when its author says that it was sent"),
      .required("state", .word(["received", "sending", "sent", "failed", "unsynced"]), "what became of it"),
      .required("read", .boolean, "whether it was read here"),
      .required("mentions_me", .boolean, "whether its text names the account"),
      .optional("failure", .text, "why it failed, or why other devices do not know of it"),
      .optional("read_by_recipient_at", .time, "when the other side read it, if they told"),
      .optional("disappears_at", .time, "when it disappears, once that is known"),
      .optional("reply_to", .object("quote"), "what it answers"),
      .optional("link", .object("link"), "what a link in it leads to, as its author says"),
      .optional("reactions", .objects("reaction"), "reactions; missing if there are none"),
      .optional("attachments", .objects("attachment"), "the files that came with it; not there without any"),
      .optional("repeated", .boolean, "true if an earlier 'send' with the same key wrote it"),
    ])

  private static let quote = JSONForm(
    name: "quote", summary: "the message that another one answers",
    members: [
      .required("from", .text, "the id of the author"),
      .required("sent_at", .time, "when it was sent; with its author it is known by that"),
      .optional("id", .number, "its number, where it is here"),
      .optional("body", .text, "its text, where it is here"),
    ])

  private static let link = JSONForm(
    name: "link", summary: "what a link in a message leads to",
    members: [.required("url", .text, "the address"), .optional("title", .text, "the title of the page")])

  private static let reaction = JSONForm(
    name: "reaction", summary: "an emoji that somebody put to a message",
    members: [
      .required("emoji", .text, "the emoji"), .required("from", .text, "the id of the person who reacted"),
    ])

  private static let attachmentMembers: [Member] = [
    .type("attachment"),
    .required("message", .number, "the number of its message"),
    .required("number", .number, "which file of the message it is, from 1"),
    .required("kind", .word(["file", "image", "voice-message"]), "what it is"),
    .required("content_type", .text, "its media type, as its sender says"),
    .required("size", .number, "how many bytes it has"),
    .required(
      "state", .word(["remote", "downloading", "uploading", "ready", "failed", "unusable"]), "how it stands"),
    .required("here", .boolean, "whether its content is on this machine"),
    .optional("name", .text, "the name that its sender gave"),
    .optional("caption", .text, "what its sender says about it"),
    .optional("width", .number, "of an image, in pixels"),
    .optional("height", .number, "of an image, in pixels"),
  ]

  private static let attachment = JSONForm(
    name: "attachment", summary: "a file of a message", commands: ["attachment list"],
    members: attachmentMembers)

  private static let savedAttachment = JSONForm(
    name: "saved attachment", summary: "a file that was saved", commands: ["attachment save"],
    members: attachmentMembers + [.required("path", .text, "where it was saved")])

  private static let event = JSONForm(
    name: "event", summary: "something that happened", commands: ["receive", "chat"],
    members: [
      .type("event"),
      .required("cursor", .number, "its place in the line of events, for --since"),
      .required("event", .word(MessengerEvent.Kind.allCases.map(\.rawValue)), "what happened"),
      .optional("lost_from", .number, "with gap: the first event that is no longer kept"),
      .optional("lost_to", .number, "with gap: the last one"),
      .required("at", .time, "when"),
      .optional("conversation", .text, "the conversation it is about"),
      .optional("chat", .text, "the same, under its older name"),
      .optional("person", .text, "the id of the person it is about"),
      .optional("message", .object("message"), "the message it is about, as it is now"),
    ])

  private static let chat = JSONForm(
    name: "chat", summary: "a conversation", commands: ["chats", "requests list"],
    members: [
      .type("chat"),
      .required(
        "conversation", .text,
        "what commands take for it: the id of a person or group, the account's own id for its notes, or the address of a room"
      ),
      .required("id", .text, "the same, under its older name"),
      .required("kind", .word(["note-to-self", "person", "group", "community"]), "with whom it is"),
      .required("name", .text, "what it is called"),
      .required("unread", .number, "how many messages are not read"),
      .required("unread_mentions", .number, "how many of them name the account"),
      .required("marked_unread", .boolean, "whether it was marked as unread by hand"),
      .required("pinned", .boolean, "whether it stays on top"),
      .required(
        "hidden", .boolean, "whether it is hidden; 'session chats --hidden' lists hidden conversations"),
      .required("request", .boolean, "whether somebody asks to talk who was not accepted yet"),
      .required("blocked", .boolean, "whether nothing is heard of the other side"),
      .required("accepted", .boolean, "whether the other side has accepted the account"),
      .optional("muted_until", .time, "until when it tells of nothing"),
      .optional("timer", .object("timer"), "when its messages disappear; not there where they stay"),
      .optional("draft", .text, "what is being written there"),
      .optional("last", .object("message"), "the newest message"),
    ])

  private static let timer = JSONForm(
    name: "timer", summary: "when the messages of a conversation disappear",
    members: [
      .required("mode", .word(["after-send", "after-read"]), "from when on the time runs"),
      .required("seconds", .number, "how long they stay"),
    ])

  private static let contact = JSONForm(
    name: "contact", summary: "somebody the account wrote to, or who wrote to it",
    commands: ["contacts list"],
    members: [
      .type("contact"), .required("id", .text, "their id"),
      .required("name", .text, "what they call themselves; empty while that is not known"),
      .required("approved", .boolean, "whether the account talks to them"),
      .required("approved_me", .boolean, "whether they have accepted the account"),
      .required("blocked", .boolean, "whether nothing is heard of them"),
      .required("downloads", .boolean, "whether their pictures and voice messages come by themselves"),
      .optional("nickname", .text, "what the account calls them"),
    ])

  private static let profile = JSONForm(
    name: "profile", summary: "what others see of the account", commands: ["profile show"],
    members: [.required("id", .text, "its id"), .required("name", .text, "its name")])

  private static let setting = JSONForm(
    name: "setting", summary: "a setting of the account", commands: ["settings list", "settings get"],
    members: [
      .type("setting"), .required("name", .text, "which one"),
      .optional("value", .boolean, "whether it is on; not there while it was never set"),
      .required("shared", .boolean, "whether all devices of the account have it"),
    ])

  private static let networkState = JSONForm(
    name: "network state", summary: "how the network is reached", commands: ["net status"],
    members: [
      .required("state", .word(["offline", "connecting", "connected"]), "how it stands"),
      .required("nodes", .number, "how many nodes are known"),
      .required("usable_nodes", .number, "how many of them may be asked"),
      .optional("failure", .text, "what went wrong last"),
      .optional("clock_offset_ms", .number, "by how many milliseconds the clock of this machine is off"),
    ])

  private static let path = JSONForm(
    name: "path", summary: "a way through the network", commands: ["net path"],
    members: [
      .type("path"),
      .required("category", .word(["standard", "file"]), "what takes it: messages, or files"),
      .required("nodes", .objects("node"), "its nodes, the one that sees this machine first"),
    ])

  private static let node = JSONForm(
    name: "node", summary: "a node of a path",
    members: [
      .required("address", .text, "where it is reached"),
      .required("key", .text, "its key, in hexadecimal digits"),
    ])

  private static let id = JSONForm(
    name: "id", summary: "an id that was looked at", commands: ["id"],
    members: [
      .required("id", .text, "the id, in small letters"),
      .required(
        "kind", .word(["unblinded", "group", "account", "version", "blinded15", "blinded25"]),
        "what it stands for"),
    ])

  private static let openedMessage = JSONForm(
    name: "opened message", summary: "a sealed message that was opened", commands: ["open"],
    members: [
      .required("from", .text, "the proven id of the sender"),
      .required("content", .text, "the message, in base64"),
    ])
}
