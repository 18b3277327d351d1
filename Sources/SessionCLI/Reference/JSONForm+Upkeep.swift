import SessionBase

extension JSONForm {
  /// The objects of the commands that maintain accounts and settings.
  static let upkeep: [JSONForm] = [
    registeredName, endpoint,
    JSONForm(
      name: "program", summary: "this program", commands: ["version"],
      members: [
        .required("version", .text, "its version"),
        .optional("digest", .text, "the SHA-256 sum of the program that runs, if requested"),
      ]),
    JSONForm(
      name: "published version", summary: "the newest version of a program, as a file server says",
      commands: ["net versions"],
      members: [
        .type("published-version"), .required("platform", .text, "the platform, such as desktop"),
        .required("version", .text, "the version"),
        .optional("updated_at", .time, "when the operator of the server wrote it"),
      ]),
    JSONForm(
      name: "released file", summary: "a file that belongs to a signed release", commands: ["verify-release"],
      members: [
        .type("released-file"), .required("path", .text, "the file"),
        .required("name", .text, "its name in the list of sums"),
        .required("digest", .text, "its SHA-256 sum, in hexadecimal"),
        .required("version", .text, "the version that the signature names"),
        .required("key", .text, "the id of the key that signed, as minisign prints it"),
      ]),
    JSONForm(
      name: "new token", summary: "a token and its secret, which is shown only once",
      commands: ["daemon token new"],
      members: [
        .type("new-token"), .required("name", .text, "its name"), .required("token", .text, "the secret"),
      ]),
    JSONForm(
      name: "token", summary: "what a program may do that has a token", commands: ["daemon token list"],
      members: [
        .type("token"), .required("name", .text, "its name"),
        .required("scopes", .texts, "what the program may do"),
        .required("created", .time, "when it was made"),
        .optional("accounts", .texts, "the accounts that it may use; missing for all"),
        .optional("expires", .time, "when it expires; missing for never"),
        .optional("used", .time, "the day of its last use"),
      ]),
    JSONForm(
      name: "key slot", summary: "something that opens the messages of an account",
      commands: ["key list", "key test"],
      members: [
        .type("key-slot"), .required("id", .number, "its number"),
        .required("kind", .text, "its kind, such as open, passphrase, recovery, credential or command"),
        .optional("place", .text, "where the other key is kept"),
        .required(
          "state", .word(["works", "asks", "failed", "unusable"]),
          "asks if a person has to type something, unusable if it is damaged or of a later version"),
        .optional("failure", .text, "why it does not work"),
      ]),
    JSONForm(
      name: "job", summary: "a pending or failed job", commands: ["jobs list"],
      members: [
        .type("job"), .required("id", .number, "its number, for 'jobs retry' and 'jobs cancel'"),
        .required("kind", .text, "what it does"),
        .required("state", .word(["running", "waiting", "failed", "set-aside"]), "its state"),
        .required("attempts", .number, "number of attempts"),
        .required("failures", .number, "number of failed attempts"),
        .optional("conversation", .text, "the conversation it belongs to"),
        .optional("failure", .text, "the last failure"),
        .optional("next", .time, "the time of the next attempt"),
        .optional("message", .number, "the number of the message it is about"),
      ]),
    JSONForm(
      name: "reader", summary: "a reader of events", commands: ["readers list"],
      members: [
        .type("reader"), .required("name", .text, "its name"),
        .required("cursor", .number, "the last event that it has acknowledged"),
        .required("acknowledged_at", .time, "when it did so"),
        .required("pending", .number, "number of stored events after that one"),
        .required("dead", .number, "number of events that it could not handle"),
      ]),
    JSONForm(
      name: "dead event", summary: "an event that a reader could not handle", commands: ["readers dead"],
      members: [
        .type("dead-event"), .required("reader", .text, "the name of the reader"),
        .required("cursor", .number, "the number of the event, for 'readers retry'"),
        .required("tries", .number, "how often it was delivered, since it was retried if it was"),
        .required("died_at", .time, "when it was given up"),
        .required("retried", .boolean, "true if it will be delivered again"),
        .optional("reason", .text, "why the reader refused it, if it said so"),
        .required("event", .object("event"), "the event"),
      ]),
    JSONForm(
      name: "hook", summary: "a program that the daemon runs for events", commands: ["hooks list"],
      members: [
        .type("hook"), .required("name", .text, "its name"),
        .required("exec", .texts, "the path of the program, and its arguments"),
        .required("kinds", .texts, "the kinds of events"),
        .optional("accounts", .texts, "the names of the accounts; all if it is missing"),
        .optional("failure", .text, "why the program is not run"),
      ]),
    JSONForm(
      name: "hook trial", summary: "what the program of a hook did for an event", commands: ["hooks test"],
      methods: ["hooks.test"],
      members: [
        .type("hook-trial"), .required("cursor", .number, "the number of the event"),
        .required("output", .text, "what the program wrote to standard output"),
      ]),
    JSONForm(
      name: "check", summary: "the result of one check", commands: ["doctor"],
      members: [
        .type("check"), .required("check", .text, "the name of the check"),
        .required("state", .word(["ok", "warning", "failed"]), "the result"),
        .required("text", .text, "what was found"), .optional("advice", .text, "what to do about it"),
      ]),
    JSONForm(
      name: "log line", summary: "something that a program noted in the log", commands: ["log show"],
      methods: ["log.show"],
      members: [
        .type("log"), .required("at", .time, "when it happened"),
        .required("level", .word(ClientLog.Level.allCases.map(\.rawValue)), "how important it is"),
        .required("part", .text, "the part of the program"), .required("event", .text, "what happened"),
        .required("process", .number, "the number of the process"),
        .optional("account", .number, "the account, in the order in which they were made"),
        .optional("repeats", .number, "how often it happened again and was not written"),
        .optional("fields", .object("log fields"), "more about it, by event"),
      ]),
    JSONForm(
      name: "log fields", summary: "the named values of a line of the log; they depend on the event",
      members: []),
    JSONForm(
      name: "user setting", summary: "a setting of the user, for all commands",
      commands: ["config list", "config get"],
      members: [
        .type("setting"), .required("name", .text, "the name of the setting"),
        .required("set", .boolean, "true if the file sets it, false for the default"),
        .optional("value", .text, "what it is"),
      ]),
    JSONForm(
      name: "settings file", summary: "where the settings of the person are", commands: ["config path"],
      members: [.required("path", .text, "the file")]),
    JSONForm(
      name: "soundness", summary: "the result of checking a database",
      commands: ["db check", "server community database check"],
      members: [
        .required("sound", .boolean, "true if the database is undamaged and consistent"),
        .required("findings", .objects("finding"), "the faults found"),
      ]),
    JSONForm(
      name: "finding", summary: "a fault of a database",
      members: [
        .required(
          "kind", .word(["damage", "problem"]), "damage of the file, or rows that contradict each other"),
        .required("text", .text, "a description"),
      ]),
    JSONForm(
      name: "compaction", summary: "the size of a database before and after compaction",
      commands: ["db compact"],
      members: [
        .required("bytes_before", .number, "its size before"),
        .required("bytes_after", .number, "its size after"),
      ]),
    JSONForm(
      name: "salvage", summary: "the result of recovering a database", commands: ["db salvage"],
      members: [
        .type("salvage"), .required("whole", .boolean, "true if no row was lost"),
        .required("saved", .number, "number of recovered rows"),
        .optional("path", .text, "the path of the copy; missing with --replace"),
        .required("tables", .objects("salvaged table"), "the result for each table"),
      ]),
    JSONForm(
      name: "salvaged table", summary: "a table of a recovered database",
      members: [
        .required("name", .text, "its name"), .required("saved", .number, "number of recovered rows"),
        .optional("lost", .number, "number of lost rows; missing if unknown"),
        .required("changed", .number, "number of recovered rows that lost the rows they referred to"),
      ]),
  ]
}
