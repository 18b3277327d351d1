import SessionCore

extension JSONForm {
  /// The objects of the commands for archives.
  static let archives: [JSONForm] = [
    JSONForm(
      name: "archive", summary: "an archive of an account",
      commands: ["archive create", "archive verify", "archive import"],
      members: [
        .type("archive"), .required("path", .text, "its path"),
        .required("whole", .boolean, "true if all of the account's data that was to travel is in it"),
        .required("account", .text, "the id of the account"),
        .required("name", .text, "the name that the account had on its machine"),
        .required("network", .text, "main, test, or the key of the operator of a private network"),
        .required("created", .time, "when it was made"),
        .required("schema", .number, "the version of the account's database"),
        .required("seed", .boolean, "true if it has the recovery phrase"),
        .required("bytes", .number, "its size"), .required("files", .number, "number of complete files"),
        .required("file_bytes", .number, "number of bytes of those files"),
        .required("tables", .objects("archived table"), "the tables that have rows"),
        .required("problem_count", .number, "number of problems"),
        .required("problems", .objects("archive problem"), "the first 1000 problems"),
      ]),
    JSONForm(
      name: "archived table", summary: "a table in an archive",
      members: [
        .required("name", .text, "its name"), .required("rows", .number, "number of rows"),
      ]),
    JSONForm(
      name: "archive problem", summary: "something that is not in an archive, or only in part",
      members: [
        .required("kind", .text, "what happened, as one word"),
        .required("item", .text, "the row or file"), .required("detail", .text, "a description"),
      ]),
    JSONForm(
      name: "archive header", summary: "what can be read of an archive without a secret",
      commands: ["archive verify"],
      members: [
        .type("archive-header"), .required("path", .text, "its path"),
        .required("id", .text, "identifies the archive"), .required("bytes", .number, "its size"),
        .required("chunk_size", .number, "the bytes that are encrypted together"),
        .required("slots", .objects("archive slot"), "what opens it"),
      ]),
    JSONForm(
      name: "archive slot", summary: "a kind of secret that opens an archive",
      members: [.required("kind", .word(ArchiveHeader.Slot.names), "the kind")]),
  ]
}
