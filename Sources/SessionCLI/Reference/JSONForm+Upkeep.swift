extension JSONForm {
  /// What commands write that look after a program and its accounts.
  static let upkeep: [JSONForm] = [
    JSONForm(
      name: "program", summary: "this program", commands: ["version"],
      members: [.required("version", .text, "its version")]),
    JSONForm(
      name: "job", summary: "something that is to be done", commands: ["jobs list"],
      members: [
        .type("job"), .required("id", .number, "its number, for 'jobs retry' and 'jobs cancel'"),
        .required("kind", .text, "what it does"),
        .required("state", .word(["running", "waiting", "failed", "set-aside"]), "how it stands"),
        .required("attempts", .number, "how often it was tried"),
        .required("failures", .number, "how often it failed"),
        .optional("failure", .text, "why it failed last"),
        .optional("next", .time, "when it is tried next"),
        .optional("message", .number, "the number of the message it is about"),
      ]),
    JSONForm(
      name: "check", summary: "what a look at one thing came to", commands: ["doctor"],
      members: [
        .type("check"), .required("check", .text, "what was looked at"),
        .required("state", .word(["ok", "warning", "failed"]), "what it came to"),
        .required("text", .text, "how it is"), .optional("advice", .text, "what to do about it"),
      ]),
    JSONForm(
      name: "user setting", summary: "a setting of the person, for all commands",
      commands: ["config list", "config get"],
      members: [
        .type("setting"), .required("name", .text, "which one"),
        .required("set", .boolean, "whether it was set, or is so by default"),
        .optional("value", .text, "what it is"),
      ]),
    JSONForm(
      name: "settings file", summary: "where the settings of the person are", commands: ["config path"],
      members: [.required("path", .text, "the file")]),
    JSONForm(
      name: "soundness", summary: "whether a database is whole", commands: ["db check"],
      members: [
        .required("sound", .boolean, "whether it is"),
        .required("findings", .objects("finding"), "what is wrong with it"),
      ]),
    JSONForm(
      name: "finding", summary: "something that is wrong with a database",
      members: [
        .required("kind", .word(["damage", "problem"]), "whether it is broken, or does not add up"),
        .required("text", .text, "what it is"),
      ]),
    JSONForm(
      name: "compaction", summary: "what a database gave back to the disk", commands: ["db compact"],
      members: [
        .required("bytes_before", .number, "how large it was"),
        .required("bytes_after", .number, "how large it is"),
      ]),
    JSONForm(
      name: "salvage", summary: "what was saved of a database", commands: ["db salvage"],
      members: [
        .type("salvage"), .required("whole", .boolean, "whether nothing was lost"),
        .required("saved", .number, "how many rows were saved"),
        .optional("path", .text, "where they are, unless they are used from now on"),
        .required("tables", .objects("salvaged table"), "how it went with each of its tables"),
      ]),
    JSONForm(
      name: "salvaged table", summary: "a table of a database that was salvaged",
      members: [
        .required("name", .text, "which one"), .required("saved", .number, "how many rows were saved"),
        .optional("lost", .number, "number of lost rows; missing if unknown"),
        .required("changed", .number, "how many lost what they belonged to"),
      ]),
  ]
}
