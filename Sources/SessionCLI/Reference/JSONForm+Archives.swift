import SessionCore

extension JSONForm {
  /// The objects of the commands for archives.
  static let archives: [JSONForm] = [
    JSONForm(
      name: "archive", summary: "an archive of an account",
      commands: ["archive create", "archive verify", "archive import", "backup run", "backup check"],
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
        .optional("merged", .objects("merged table"), "with --merge: what became of the rows"),
      ]),
    JSONForm(
      name: "merged table", summary: "the rows of a table that were merged into an account",
      members: [
        .required("name", .text, "its name"), .required("added", .number, "number of rows that were added"),
        .required("here", .number, "number of rows that were there already"),
        .required("skipped", .number, "number of rows that were deleted here before, and stay so"),
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
      name: "imported archive", summary: "an archive whose content an account got",
      members: [
        .required("id", .text, "identifies the archive"), .required("created", .time, "when it was made"),
        .required("rows", .number, "number of rows that were taken"),
        .required("files", .number, "number of files that were taken"),
        .required("problems", .number, "number of rows and files that could not be taken"),
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
      name: "account backup", summary: "a backup of an account", commands: ["backup list"],
      members: [
        .type("backup"), .required("path", .text, "its path"),
        .required("created", .time, "when it was made"),
        .required("files", .boolean, "true if it has files"), .required("bytes", .number, "its size"),
      ]),
    JSONForm(
      name: "backup status", summary: "how an account is backed up", commands: ["backup status"],
      members: [
        .type("backup-status"), .required("folder", .text, "the folder of the archives"),
        .required("daily", .text, "the time of the day"),
        .required("weekly_files", .word(BackupPlan.days), "the day on which files are included"),
        .required("keep_daily", .number, "number of archives without files that are kept"),
        .required("keep_weekly", .number, "number of archives with files that are kept"),
        .optional("last", .time, "when the last one was made"),
      ]),
    JSONForm(
      name: "export", summary: "the beginning of an exported conversation; its messages follow",
      commands: ["export"],
      members: [
        .type("export"), .required("version", .number, "the version of the form, which is 1"),
        .required("account", .text, "the id of the account"),
        .required("created", .time, "when it was written"),
        .required("conversation", .text, "the conversation, as commands take it"),
        .required("name", .text, "its name on this device"),
      ]),
    JSONForm(
      name: "exported file", summary: "a file of an exported message",
      members: [
        .required("type", .text, "its media type, according to the sender"),
        .required("size", .number, "its size in bytes"),
        .optional("name", .text, "its file name, from the sender"),
        .optional("path", .text, "where it was written, relative to the exported messages"),
      ]),
    JSONForm(
      name: "exported", summary: "conversations that were written into plain files", commands: ["export"],
      members: [
        .type("exported"), .required("path", .text, "the file or folder"),
        .required("conversations", .number, "number of conversations"),
        .required("messages", .number, "number of messages"), .required("files", .number, "number of files"),
        .required("missing", .texts, "the files that are not on this machine"),
      ]),
    JSONForm(
      name: "archive slot", summary: "a kind of secret that opens an archive",
      members: [.required("kind", .word(ArchiveHeader.Slot.names), "the kind")]),
  ]
}
