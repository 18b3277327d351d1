import SessionCore
import SessionMessaging

extension JSONForm {
  static let all: [JSONForm] =
    [
      account, keptAccount, listedAccount, message, openedLink, sendFailure, scheduledMessage,
      answeredMessage, quote,
      link, reaction, attachment, savedAttachment,
      listedFile, listedLink, deletedFiles,
      messageInfo, messageJob, badge, accountBadge, doNotDisturb, event,
      chat, tag,
      timer, group, member, room, roomDetails, moderator, pin, listedRoom, roomLink, contact, profile,
      setting,
      networkState, networkChange, polledServer, path, networkGuard,
      node,
      id,
      openedMessage, daemon, servedAccount, servedReader,
    ] + security + upkeep + archives + inspection + servers + methods + [done, failure]

  private static let account = JSONForm(
    name: "account", summary: "an account and, if requested, its recovery phrase",
    commands: ["account new", "account show", "account export-phrase"],
    members: [
      .required("id", .text, "the account id, which others write to"),
      .optional("recovery_phrase", .text, "the recovery phrase, if requested"),
    ])

  private static let keptAccount = JSONForm(
    name: "kept account", summary: "an account that was created or restored on this machine",
    commands: ["account new", "account restore"],
    members: [
      .required("id", .text, "the account id, which others write to"),
      .required("name", .text, "its name on this machine"),
      .required("forward_secrecy", .boolean, "true if forward secrecy is on"),
    ])

  private static let listedAccount = JSONForm(
    name: "listed account", summary: "an account of this machine", commands: ["account list"],
    members: [
      .required("name", .text, "its name on this machine"),
      .required("network", .text, "main, test, devnet or the path of a network file"),
      .required("used", .boolean, "true if it is the default account"),
    ])

  private static let message = JSONForm(
    name: "message", summary: "a message of a conversation",
    commands: ["send", "share", "show", "search", "chat", "export"],
    methods: ["message.get"],
    members: [
      .type("message"),
      .required("id", .number, "its number on this device, for other commands"),
      .required("conversation", .text, "the conversation, as commands take it"),
      .required("chat", .text, "the same, under its older name"),
      .required("from", .text, "the id of the author"),
      .required("from_name", .text, "the name of the author on this device; 'me' for the account itself"),
      .required("outgoing", .boolean, "true if the account wrote it, on any of its devices"),
      .required(
        "kind",
        .word([
          "message", "deleted", "deleted-here", "request-accepted", "timer-changed", "media-saved",
          "missed-call", "room-restarted", "security", "leaving-failed", "leaving", "invited", "renamed",
          "picture-changed",
          "members-changed",
          "note",
        ]),
        "a message, a deleted message, or a note of the program"),
      .required("body", .text, "the text; empty if there is none"),
      .optional(
        "truncated", .boolean, "true if the text is truncated; 'show --full' shows all of it"),
      .optional("characters", .number, "length in characters of the whole text, if it is truncated"),
      .required("sent_at", .time, "the time of sending, according to its author"),
      .required(
        "state", .word(["received", "sending", "sent", "failed", "unsynced"]), "the state of its delivery"),
      .required("read", .boolean, "true if it was read on this or another device of the account"),
      .required("mentions_me", .boolean, "true if it mentions the account"),
      .optional(
        "failure", .text,
        "why it failed, did not reach other devices of the account, or was not changed or deleted in a room"),
      .optional(
        "from_role", .word(["moderator", "admin"]), "what its author is in a room; missing for other members"),
      .optional("edited_at", .time, "when its author changed its text, in a room"),
      .optional(
        "whisper", .text, "in a room, the id of the only person besides the author who sees it, or moderators"
      ),
      .optional("read_by_recipient_at", .time, "when the recipient read it, if a read receipt arrived"),
      .optional("disappears_at", .time, "when it disappears, once the timer has started"),
      .optional("timer", .object("timer"), "its timer, if it disappears; in a note, the one that was set"),
      .optional("reply_to", .object("quote"), "the message that it replies to"),
      .optional("link", .object("link"), "the preview of a link in it, from its author"),
      .optional("reactions", .objects("reaction"), "reactions; missing if there are none"),
      .optional("attachments", .objects("attachment"), "its attachments; missing if there are none"),
      .optional(
        "level", .word(SecurityLevel.allCases.map(\.name)),
        "how it was protected on its way: sr1 with forward secrecy, v1 without; missing if not known"),
      .optional(
        "waits_for", .word(["keys"]),
        "what has to arrive before it can be sent: keys of its recipient's devices; missing if nothing has to"
      ),
      .optional(
        "held_device", .boolean, "true if it came from a device of its author that nothing vouches for"),
      .optional(
        "change", .word(SecurityChange.allCases.map(\.rawValue)), "in a note of security: what has changed"),
      .optional("repeated", .boolean, "true if an earlier 'send' with the same key wrote it"),
      .optional("files", .objects("exported file"), "in an export: its files, and where they were written"),
    ])

  private static let scheduledMessage = JSONForm(
    name: "scheduled message", summary: "a message that is sent later",
    commands: ["send", "scheduled list", "scheduled show", "scheduled move"],
    members: [
      .type("scheduled-message"), .required("id", .number, "its number, for 'session scheduled'"),
      .required("conversation", .text, "the conversation, as commands take it"),
      .required("body", .text, "the text; empty if there is none"),
      .required("at", .time, "when it is due"),
      .required("zone", .text, "the time zone in which its time was given"),
      .required("late_ms", .number, "how much later it may be sent, in milliseconds"),
      .required(
        "state", .word(ScheduledMessage.State.allCases.map(\.rawValue)),
        "waiting, sent, missed if nothing ran when it was due, or failed"),
      .required("files", .number, "number of its files"),
      .required("created_at", .time, "when it was scheduled"),
      .optional("failure", .text, "why it was missed or failed"),
      .optional("message_id", .number, "the number of the message that it became"),
      .optional("reply_to", .object("answered message"), "the message that it replies to"),
      .optional("repeated", .boolean, "true if an earlier 'send' with the same key scheduled it"),
    ])

  private static let answeredMessage = JSONForm(
    name: "answered message", summary: "the message that a scheduled one replies to",
    members: [
      .required("from", .text, "the id of the author"),
      .required("sent_at", .time, "when it was sent; author and time identify it"),
    ])

  private static let quote = JSONForm(
    name: "quote", summary: "the message that another one replies to",
    members: [
      .required("from", .text, "the id of the author"),
      .required("sent_at", .time, "when it was sent; author and time identify it"),
      .optional("id", .number, "its number, if it is stored on this device"),
      .optional("body", .text, "its text, if it is stored on this device"),
    ])

  private static let link = JSONForm(
    name: "link", summary: "the preview of a link in a message",
    members: [.required("url", .text, "the address"), .optional("title", .text, "the title of the page")])

  private static let reaction = JSONForm(
    name: "reaction", summary: "a reaction to a message",
    members: [
      .required("emoji", .text, "the emoji"), .required("from", .text, "the id of the person who reacted"),
      .optional("others", .number, "in a room, the number of others who reacted and are not listed"),
    ])

  private static let attachmentMembers: [Member] = [
    .type("attachment"),
    .required("message", .number, "the number of its message"),
    .required("conversation", .text, "the conversation of its message"),
    .required("number", .number, "its position in the message, from 1"),
    .required("kind", .word(["file", "image", "voice-message"]), "the kind of file"),
    .required("content_type", .text, "its media type, according to the sender"),
    .required("size", .number, "its size in bytes"),
    .required(
      "state", .word(["remote", "downloading", "uploading", "ready", "failed", "unusable"]), "its state"),
    .required("here", .boolean, "true if its content is on this machine"),
    .optional("name", .text, "its file name, from the sender"),
    .optional("caption", .text, "its caption"),
    .optional("width", .number, "width of an image, in pixels"),
    .optional("height", .number, "height of an image, in pixels"),
    .optional("duration_ms", .number, "length of a voice message, in milliseconds, once it is here"),
  ]

  private static let attachment = JSONForm(
    name: "attachment", summary: "a file of a message", commands: ["attachment list"],
    members: attachmentMembers)

  private static let listedFile = JSONForm(
    name: "listed file", summary: "a file in a list of files", commands: ["files list"],
    members: attachmentMembers + [
      .required("from", .text, "the id of the author of its message"),
      .required("sent_at", .time, "when its message was sent, according to its author"),
    ])

  private static let listedLink = JSONForm(
    name: "listed link", summary: "a link with a preview, in a list of links", commands: ["files list"],
    members: [
      .type("listed-link"), .required("message", .number, "the number of its message"),
      .required("conversation", .text, "the conversation of its message"),
      .required("from", .text, "the id of the author of its message"),
      .required("sent_at", .time, "when its message was sent, according to its author"),
      .required("url", .text, "the address"), .optional("title", .text, "the title of the page"),
    ])

  private static let deletedFiles = JSONForm(
    name: "deleted files", summary: "the content of files that was deleted", commands: ["files delete"],
    members: [.type("deleted-files"), .required("bytes", .number, "number of bytes that were freed")])

  private static let messageInfo = JSONForm(
    name: "message info", summary: "everything that is known of a message", commands: ["message info"],
    members: [
      .type("message-info"), .required("message", .object("message"), "the message, with its whole text"),
      .required("received_at", .time, "when it arrived here, or was written"),
      .required("characters", .number, "length of its text in characters"),
      .required("bytes", .number, "length of its text in bytes"),
      .required(
        "pro", .word(["none", "forged", "stolen", "valid", "expired"]),
        "the verdict on the Session Pro proof of its author"),
      .required("jobs", .objects("message job"), "the pending and failed jobs that are about it"),
      .optional("hash", .text, "its name in the swarm"),
      .optional("number_in_room", .number, "its number in the room of a community"),
      .optional("timer", .object("timer"), "its timer, if it disappears"),
    ])

  private static let messageJob = JSONForm(
    name: "message job", summary: "a job that is about a message",
    members: [.required("id", .number, "its number, for 'session jobs'")])

  private static let badge = JSONForm(
    name: "unread total", summary: "what is unread in all accounts", commands: ["badge"],
    members: [
      .type("badge"), .required("unread", .number, "number of unread messages"),
      .required("mentions", .number, "number of those that mention the account"),
      .required("requests", .number, "number of message requests"),
      .required("accounts", .objects("unread of account"), "the same for each account"),
    ])

  private static let doNotDisturb = JSONForm(
    name: "do not disturb", summary: "whether notifications are held back", commands: ["dnd"],
    members: [
      .type("dnd"), .required("active", .boolean, "true while they are held back"),
      .required("state", .word(["off", "on", "until"]), "what 'session dnd' was told"),
      .optional("until", .time, "the end, for the state until"),
      .optional("schedule", .text, "when they are held back every day, in local time"),
    ])

  private static let accountBadge = JSONForm(
    name: "unread of account", summary: "what is unread in an account",
    members: [
      .required("name", .text, "its name on this machine"),
      .required("state", .word(["open", "locked"]), "locked if it needs its passphrase"),
      .optional("unread", .number, "number of unread messages; missing for a locked account"),
      .optional("mentions", .number, "number of those that mention the account"),
      .optional("requests", .number, "number of message requests"),
    ])

  private static let savedAttachment = JSONForm(
    name: "saved attachment", summary: "a file that was saved", commands: ["attachment save", "files save"],
    members: attachmentMembers + [.required("path", .text, "the path of the saved file")])

  private static let event = JSONForm(
    name: "event", summary: "something that happened", commands: ["receive", "chat"],
    members: [
      .type("event"),
      .required("cursor", .number, "its number, for --since"),
      .required("event", .word(MessengerEvent.Kind.allCases.map(\.rawValue)), "what happened"),
      .optional("lost_from", .number, "in a gap: the first event that is no longer stored"),
      .optional("lost_to", .number, "in a gap: the last event that is no longer stored"),
      .required("at", .time, "when it happened"),
      .optional("conversation", .text, "the conversation it is about"),
      .optional("chat", .text, "the same, under its older name"),
      .optional("person", .text, "the id of the person it is about"),
      .optional("people", .texts, "the ids of the members of a group that it is about"),
      .optional(
        "reason", .text, "why something failed; why a group ended: \"kicked\" or \"destroyed\""),
      .optional(
        "message_id", .number, "the number of the message it is about, also of one that is no longer there"),
      .optional("message", .object("message"), "the current state of the message it is about"),
      .optional("archive", .object("imported archive"), "the archive whose content the account got"),
      .optional(
        "scheduled", .number, "the number of the scheduled message it is about, also of one that was deleted"),
      .optional("account", .text, "in a subscription: the account it belongs to"),
      .optional(
        "tries", .number,
        "in a subscription: how often it was delivered, counted for the first that is not acknowledged"),
    ])

  private static let daemon = JSONForm(
    name: "daemon", summary: "the daemon of this user", commands: ["daemon status"],
    members: [
      .type("daemon"),
      .required("version", .text, "its version"),
      .required("process", .number, "its process"),
      .required("started_at", .time, "when it began"),
      .required("accounts", .objects("served account"), "the accounts that it serves"),
      .required(
        "readers", .objects("served reader"),
        "the readers of events of the accounts that are open, and not stuck"),
      .required("connections", .number, "number of programs that are connected, this one included"),
      .required("memory", .number, "bytes of memory in use"),
      .required("ignored", .number, "number of ignored notifications"),
    ])

  private static let servedReader = JSONForm(
    name: "served reader", summary: "a reader of events of an account of the daemon",
    members: [
      .required("account", .text, "the account"), .required("name", .text, "the name of the reader"),
      .required("pending", .number, "number of events that it has not acknowledged"),
      .required("dead", .number, "number of events that it could not handle"),
    ])

  private static let servedAccount = JSONForm(
    name: "served account", summary: "an account of the daemon",
    members: [
      .required("name", .text, "its name on this machine"),
      .optional("id", .text, "the account id; missing before the account was opened"),
      .required(
        "state", .word(["opening", "locked", "running", "suspended", "parked", "failed"]),
        "whether it is open; a locked account needs its passphrase"),
      .optional("failure", .text, "why it has failed; the daemon tries again to open it"),
      .optional("stuck_ms", .number, "how long its database has been at one write, if that is too long"),
    ])

  private static let tag = JSONForm(
    name: "tag", summary: "a tag of conversations", commands: ["tag list"],
    members: [
      .type("tag"), .required("name", .text, "its name"),
      .required("conversations", .texts, "the conversations that have it, as commands take them"),
      .optional("emoji", .text, "its emoji"),
    ])

  private static let chat = JSONForm(
    name: "chat", summary: "a conversation", commands: ["chats", "requests list"], methods: ["chat.get"],
    members: [
      .type("chat"),
      .required(
        "conversation", .text,
        "its name for commands: the id of a person or group, the account's own id for Note to Self, or the URL of a room"
      ),
      .required("id", .text, "the same, under its older name"),
      .required("number", .number, "its number on this device, which 'session:?chat=NUMBER' opens"),
      .required("kind", .word(["note-to-self", "person", "group", "community"]), "the kind of conversation"),
      .required("name", .text, "its name"),
      .required("unread", .number, "number of unread messages"),
      .required("unread_mentions", .number, "number of unread messages that mention the account"),
      .required("marked_unread", .boolean, "true if the user marked it as unread"),
      .required("pinned", .boolean, "true if it is pinned"),
      .required(
        "hidden", .boolean, "true if it is hidden; 'session chats --hidden' lists hidden conversations"),
      .required("request", .boolean, "true if it is a message request that was not accepted yet"),
      .required("blocked", .boolean, "true if the contact is blocked"),
      .required("accepted", .boolean, "true if the other side has accepted the account"),
      .required("notifies", .word(["all", "mentions", "nothing"]), "which of its messages notify"),
      .optional("muted_until", .time, "the end of the mute"),
      .optional(
        "sound", .text,
        "the sound of its notifications on this device: none, a name or a path; missing for the default"),
      .optional("timer", .object("timer"), "the timer of disappearing messages; missing if it is off"),
      .optional("draft", .text, "the unsent draft"),
      .optional("tags", .texts, "the names of its tags; missing if it has none"),
      .optional("last", .object("message"), "the newest message"),
    ])

  private static let group = JSONForm(
    name: "group", summary: "a group", commands: ["group list", "group show", "group create"],
    members: [
      .type("group"), .required("conversation", .text, "its id, as commands take it"),
      .required("kind", .word(["group"]), "the kind of conversation"),
      .required("name", .text, "its name; empty while unknown"),
      .required("description", .text, "its description; empty if there is none"),
      .required("standing", .word(GroupView.Standing.words), "what the account is to the group"),
      .required("admin", .boolean, "true if the account is an admin"),
      .required("expired", .boolean, "true if an admin has to come online to renew its keys"),
      .required("access_lost", .boolean, "true if its swarm does not let the account in at the moment"),
      .required("members", .number, "number of known members"),
      .optional("timer_seconds", .number, "when its messages disappear after they were sent"),
      .optional("inviter", .text, "the id of the person who invited the account"),
      .optional("created_at", .time, "when it was created"),
      .optional("joined_at", .time, "when the account joined"),
    ])

  private static let member = JSONForm(
    name: "member", summary: "a member of a group", commands: ["group members"],
    members: [
      .type("member"), .required("conversation", .text, "the id of the group"),
      .required("id", .text, "the id of the member"),
      .required("name", .text, "a nickname, the name they chose, or a short form of the id"),
      .required("admin", .boolean, "true if they are an admin"),
      .required(
        "status", .word(GroupMember.Status.words), "how far inviting, promoting or removing has come"),
      .required("history", .boolean, "true if their invitation shares older messages"),
    ])

  private static let room = JSONForm(
    name: "room", summary: "a room of a community", commands: ["community list", "community join"],
    members: [
      .type("room"), .required("conversation", .text, "its address, as commands take it"),
      .required("kind", .word(["community"]), "the kind of conversation"),
      .required("name", .text, "its name"),
      .optional("description", .text, "its description"),
      .required("state", .word(RoomView.State.words), "what the account can do there at the moment"),
      .required("users", .number, "number of people who used it lately"),
      .required("write", .boolean, "true if the account may write there"),
      .required("moderator", .boolean, "true if the account moderates it"),
      .required("admin", .boolean, "true if the account is an admin"),
    ])

  private static let roomDetails = JSONForm(
    name: "room details", summary: "a room with its moderators and pinned messages",
    commands: ["community info"],
    members: room.members + [
      .required("link", .text, "the link that others join it with"),
      .required("complete", .boolean, "true if its oldest message is here, and none is missing after it"),
      .required("picture", .boolean, "true if its picture is here"),
      .required("moderators", .objects("moderator"), "its moderators"),
      .required("pins", .objects("pin"), "its pinned messages"),
    ])

  private static let moderator = JSONForm(
    name: "moderator", summary: "a moderator of a room", commands: ["community moderators"],
    members: [
      .type("moderator"), .required("conversation", .text, "the address of the room"),
      .required("id", .text, "their id in the room"),
      .required("admin", .boolean, "true if they are an admin"),
      .required("hidden", .boolean, "true if only moderators see them"),
    ])

  private static let pin = JSONForm(
    name: "pin", summary: "a pinned message of a room",
    members: [
      .optional("message", .number, "its number, if it is stored on this device"),
      .required("pinned_at", .time, "when it was pinned"),
      .optional("by", .text, "the id of the person who pinned it"),
      .optional("author", .text, "the id of its author, if it is not stored on this device"),
      .optional("posted_at", .time, "when it was posted, if it is not stored on this device"),
      .optional("body", .text, "its text, if it is not stored on this device"),
    ])

  private static let listedRoom = JSONForm(
    name: "listed room", summary: "a room that a server offers", commands: ["community rooms"],
    members: [
      .type("listed-room"), .required("link", .text, "the link to join it with"),
      .required("name", .text, "its name"), .optional("description", .text, "its description"),
      .required("users", .number, "number of people who used it lately"),
    ])

  private static let roomLink = JSONForm(
    name: "room link", summary: "the link with which others join a room", commands: ["share-link"],
    members: [
      .required("conversation", .text, "the address of the room, as commands take it"),
      .required("link", .text, "its link, with the key of its server"),
    ])

  private static let timer = JSONForm(
    name: "timer", summary: "the timer of disappearing messages",
    members: [
      .required("mode", .word(["after-send", "after-read"]), "the start of the timer"),
      .required("seconds", .number, "the duration of the timer"),
    ])

  private static let contact = JSONForm(
    name: "contact", summary: "a contact, accepted or not",
    commands: ["contacts list"],
    members: [
      .type("contact"), .required("id", .text, "their id"),
      .required("name", .text, "the name they chose; empty while unknown"),
      .required("approved", .boolean, "true if the account has accepted them"),
      .required("approved_me", .boolean, "true if they have accepted the account"),
      .required("blocked", .boolean, "true if they are blocked"),
      .required(
        "downloads", .boolean, "true if their pictures and voice messages are downloaded automatically"),
      .optional("nickname", .text, "the nickname that the account gave them"),
      .required(
        "verified", .word(VerificationState.allCases.map(\.rawValue)),
        "yes if safety numbers were compared; changed if the person has other devices since"),
    ])

  private static let profile = JSONForm(
    name: "profile", summary: "the profile that others see", commands: ["profile show"],
    members: [.required("id", .text, "its id"), .required("name", .text, "its name")])

  private static let setting = JSONForm(
    name: "setting", summary: "a setting of the account", commands: ["settings list", "settings get"],
    members: [
      .type("setting"), .required("name", .text, "the name of the setting"),
      .optional("value", .boolean, "true if it is on; missing if it was never set, or is not on or off"),
      .optional("choice", .text, "the value of a setting that is not on or off"),
      .required("shared", .boolean, "true if all devices of the account share it"),
    ])

  private static let networkState = JSONForm(
    name: "network state", summary: "the state of the network connection", commands: ["net status"],
    members: [
      .required("state", .word(["offline", "connecting", "connected"]), "the state of the connection"),
      .required("nodes", .number, "number of known nodes"),
      .required("usable_nodes", .number, "number of known nodes without recent failures"),
      .required("guards", .number, "number of guards, the nodes that learn the address of this machine"),
      .required("guards_in_use", .number, "number of guards that new paths begin with"),
      .optional("failure", .text, "the last failure"),
      .optional("clock_offset_ms", .number, "milliseconds by which the clock of this machine is off"),
      .required("changes", .objects("network change"), "what changed among the guards, the newest first"),
      .optional(
        "servers", .objects("polled server"),
        "the servers of communities, while the daemon serves the account"),
    ])

  private static let polledServer = JSONForm(
    name: "polled server", summary: "the server of a community that is polled",
    members: [
      .required("url", .text, "its address"),
      .required("polls", .number, "number of polls that worked since the daemon opened the account"),
      .required("failures", .number, "number of failures since the last success"),
      .optional("failure", .text, "why the last poll failed"),
    ])

  private static let networkChange = JSONForm(
    name: "network change", summary: "a change of a guard, or of a node that paths use as the second one",
    members: [
      .required("at", .number, "when it changed, in milliseconds since 1970"),
      .required("change", .text, "what changed, such as 'guard drawn'"),
      .required("reason", .text, "why, such as 'age'"),
      .required("key", .text, "the key of the node, in hexadecimal digits"),
    ])

  private static let path = JSONForm(
    name: "path", summary: "a path through the network", commands: ["net path"],
    members: [
      .type("path"),
      .required(
        "category", .word(["standard", "file"]), "what it carries: 'standard' for messages, 'file' for files"),
      .required(
        "target", .word(["network", "swarm", "server", "file"]),
        "what it leads to: one swarm, server or file; 'network' for lists and times"),
      .required("nodes", .objects("node"), "its nodes, the guard first"),
    ])

  private static let networkGuard = JSONForm(
    name: "guard", summary: "a guard, one of the first nodes of paths", commands: ["net guards list"],
    members: [
      .type("guard"), .required("key", .text, "its key, in hexadecimal digits"),
      .optional("address", .text, "where it is reached; missing if it is not listed"),
      .required("state", .word(["idle", "connecting", "connected"]), "the state of its connection"),
      .required("in_use", .boolean, "true if new paths begin with it"),
      .required("primary", .boolean, "true if it is tried before all others"),
      .required("set_back", .boolean, "true if it was put behind the others for some days"),
      .required("listed", .boolean, "true if the list of nodes has it"),
      .required("sampled_day", .number, "when it was chosen, in days since 1970"),
      .optional("confirmed_day", .number, "when the first reply came over it, in days since 1970"),
      .required("end_day", .number, "when it is replaced, in days since 1970"),
    ])

  private static let node = JSONForm(
    name: "node", summary: "a node of a path",
    members: [
      .required("address", .text, "where it is reached"),
      .required("key", .text, "its key, in hexadecimal digits"),
    ])

  private static let id = JSONForm(
    name: "id", summary: "an id and its kind", commands: ["id"],
    members: [
      .required("id", .text, "the id, in lower case"),
      .required(
        "kind", .word(["unblinded", "group", "account", "version", "blinded15", "blinded25"]),
        "the kind of id"),
    ])

  private static let openedMessage = JSONForm(
    name: "opened message", summary: "a decrypted message", commands: ["open"],
    members: [
      .required("from", .text, "the verified id of the sender"),
      .required("content", .text, "the message, in base64"),
    ])
}
