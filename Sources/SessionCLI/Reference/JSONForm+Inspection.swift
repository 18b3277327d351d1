extension JSONForm {
  /// The objects of the commands that decode data.
  static let inspection: [JSONForm] = [
    JSONForm(
      name: "inspection", summary: "the structure of decoded data",
      commands: ["inspect message", "inspect config", "inspect bt", "inspect id"],
      members: [.required("inspection", .object("part"), "the whole")]),
    JSONForm(
      name: "part", summary: "a range of bytes, or a fact derived from them",
      members: [
        .required(
          "name", .text, "its name; names and values are for people, and later releases may reword them"),
        .optional("offset", .number, "its offset in its layer; missing if it is no range of bytes"),
        .optional("length", .number, "its length in bytes, if it has an offset"),
        .optional("number", .number, "its field number in protobuf"),
        .optional("value", .text, "its content"),
        .optional(
          "verdict", .word(Inspection.Verdict.allCases.map(\.rawValue)), "the result of checking it"),
        .optional("parts", .objects("part"), "its parts; missing if there are none"),
      ]),
    JSONForm(
      name: "reply", summary: "the reply of a QUIC peer", commands: ["inspect quic"],
      members: [
        .required("address", .text, "the address of the peer"),
        .required("key", .text, "its key, in hexadecimal digits"),
        .required("handshake_us", .number, "duration of the handshake in microseconds"),
        .required("reply_us", .number, "microseconds from the end of the handshake to the reply"),
        .required("reply", .text, "the reply, in base64"),
      ]),
    JSONForm(
      name: "peer", summary: "the QUIC peer that 'inspect quic --listen' runs", commands: ["inspect quic"],
      members: [
        .required("key", .text, "its key, in hexadecimal digits"),
        .required("address", .text, "the address where it listens"),
        .required("alpn", .text, "the protocol that it speaks"),
      ]),
  ]
}
