extension JSONForm {
  /// What commands write that show how something is made.
  static let inspection: [JSONForm] = [
    JSONForm(
      name: "inspection", summary: "how something is made",
      commands: ["inspect message", "inspect config", "inspect bt", "inspect id"],
      members: [.required("inspection", .object("part"), "all of it")]),
    JSONForm(
      name: "part", summary: "a stretch of bytes, or something that follows from them",
      members: [
        .required("name", .text, "what it is called; names and values are for people, and may be put better"),
        .optional("offset", .number, "where it begins in its layer; not there for what is no stretch"),
        .optional("length", .number, "how many bytes it has; beside offset"),
        .optional("number", .number, "its number, where it is a field of protobuf"),
        .optional("value", .text, "its content"),
        .optional(
          "verdict", .word(Inspection.Verdict.allCases.map(\.rawValue)), "whether it is as it has to be"),
        .optional("parts", .objects("part"), "what it is made of; not there where that is nothing"),
      ]),
    JSONForm(
      name: "reply", summary: "what a QUIC peer replied", commands: ["inspect quic"],
      members: [
        .required("address", .text, "where the peer is"),
        .required("key", .text, "its key, in hexadecimal digits"),
        .required("handshake_us", .number, "microseconds until both sides had proved their keys"),
        .required("reply_us", .number, "microseconds from then until the reply was there"),
        .required("reply", .text, "the reply, in base64"),
      ]),
    JSONForm(
      name: "peer", summary: "a QUIC peer that answers from now on", commands: ["inspect quic"],
      members: [
        .required("key", .text, "its key, in hexadecimal digits"),
        .required("address", .text, "where it answers"),
        .required("alpn", .text, "the protocol that it speaks"),
      ]),
  ]
}
