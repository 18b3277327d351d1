extension JSONForm {
  /// The results of methods that no command writes.
  static let methods: [JSONForm] =
    [
      JSONForm(
        name: "sync", summary: "whether new messages were fetched", methods: ["sync"],
        members: [.required("caught_up", .boolean, "false if the network was not reached in time")]),
      JSONForm(
        name: "draft", summary: "the draft of a conversation", commands: ["draft show", "draft list"],
        methods: ["draft.get"],
        members: [
          .required("conversation", .text, "the conversation, as commands take it"),
          .required("text", .text, "the draft; empty if there is none"),
          .optional("reply_to", .number, "the number of the message that it replies to"),
          .optional("files", .objects("draft file"), "its files; missing if there are none"),
          .optional("updated_at", .time, "when it was changed last; missing if there is none"),
        ]),
      JSONForm(
        name: "draft file", summary: "a file of a draft",
        members: [
          .required("content_type", .text, "its media type"), .required("size", .number, "its size in bytes"),
          .optional("name", .text, "its file name"), .optional("caption", .text, "its caption"),
        ]),
      JSONForm(
        name: "file part", summary: "a part of a file", methods: ["attachment.read"],
        members: [
          .optional("data", .text, "the bytes, in base64; missing with \"fd\""),
          .optional(
            "fd", .number,
            "which of the descriptors that come with the reply has the whole file; a pipe over a further socket"
          ),
          .required("size", .number, "the size of the whole file in bytes"),
          .required("end", .boolean, "true if nothing comes behind this part"),
        ]),
      JSONForm(
        name: "badge", summary: "the number of things that are new", methods: ["badge"],
        members: [
          .required("unread", .number, "number of unread messages"),
          .required("mentions", .number, "number of unread messages that mention an account"),
          .required("requests", .number, "number of message requests"),
          .required("accounts", .objects("account badge"), "the same for each account that is open"),
        ]),
      JSONForm(
        name: "account badge", summary: "the number of things that are new in an account",
        members: [
          .required("name", .text, "the name of the account on this machine"),
          .required("unread", .number, "number of unread messages"),
          .required("mentions", .number, "number of unread messages that mention the account"),
          .required("requests", .number, "number of message requests"),
        ]),
    ] + server

  /// The results of the methods of the server itself.
  private static let server: [JSONForm] = [
    JSONForm(
      name: "greeting", summary: "the server, and what the client may do", methods: ["hello"],
      members: [
        .required("server", .text, "the name of the server"),
        .required("version", .text, "the version of the server"),
        .required("protocol", .number, "the protocol: 1"),
        .required("internal", .number, "the version of the methods between programs of this project"),
        .required("instance", .text, "differs from one run of the server to the next"),
        .required("data_root", .text, "identifies the folder of the accounts"),
        .required("accounts", .objects("served account"), "the accounts that the client may use"),
        .required("limits", .object("limits"), "the limits of the connection"),
        .required("scopes", .texts, "the scopes of the client"),
      ]),
    JSONForm(
      name: "limits", summary: "the limits of a connection",
      members: [
        .required("line", .number, "bytes of a line to the server"),
        .required("reply", .number, "bytes of a line from the server"),
        .required("calls", .number, "number of calls at the same time"),
      ]),
    JSONForm(
      name: "time", summary: "the time of the server", methods: ["daemon.ping"],
      members: [.required("at", .time, "the time")]),
    JSONForm(
      name: "acknowledgement", summary: "that something was done",
      methods: [
        "account.unlock", "daemon.restart", "daemon.stop", "events.ack", "events.nack", "events.unsubscribe",
        "file.chunk",
        "file.drop",
      ],
      members: [.required("done", .boolean, "true")]),
    JSONForm(
      name: "reload", summary: "that the settings were read again", methods: ["daemon.reload"],
      members: [
        .required("done", .boolean, "true"),
        .required("restart", .texts, "the settings that take effect at the next start"),
      ]),
    JSONForm(
      name: "upload", summary: "an upload that has begun", methods: ["file.begin"],
      members: [
        .required("upload", .text, "its name"), .required("chunk", .number, "the most bytes of a file.chunk"),
      ]),
    JSONForm(
      name: "uploaded file", summary: "a file that can be sent within an hour", methods: ["file.end"],
      members: [
        .required("file", .text, "its name, as in \"attach\": [{\"file\": NAME}]"),
        .required("size", .number, "its size in bytes"),
      ]),
    JSONForm(
      name: "subscription", summary: "a new subscription", methods: ["events.subscribe"],
      members: [
        .required("subscription", .text, "its name"),
        .required(
          "positions", .objects("position"),
          "where it begins in each account that is open; notifications tell where in the others"),
        .optional(
          "gap", .object("gap"), "the events that the reader missed: they are no longer kept"),
      ]),
    JSONForm(
      name: "position", summary: "where a subscription begins",
      members: [
        .required("account", .text, "the name of the account"),
        .required("cursor", .number, "the event before the first one that is delivered"),
        .required("newest", .number, "the newest event of the account"),
        .required("pending", .number, "the number of events between them"),
        .optional("gap", .object("gap"), "the events that the reader missed: they are no longer kept"),
      ]),
    JSONForm(
      name: "page of events", summary: "the next events of a reader", methods: ["events.next"],
      members: [
        .required("items", .objects("event"), "the events, oldest first"),
        .required("cursor", .number, "the last event of the page"),
        .required("more", .boolean, "true if there may be more"),
        .optional(
          "gap", .object("gap"), "the events that the reader missed: they are no longer kept"),
      ]),
    JSONForm(
      name: "gap", summary: "events that are no longer kept",
      members: [
        .required("oldest", .number, "the oldest event that is kept"),
        .required("newest", .number, "the newest event"),
        .required("lost_from", .number, "the first event that was missed"),
        .required("lost_to", .number, "the last event that was missed"),
      ]),
  ]
}
