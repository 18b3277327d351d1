/// The pages of the manual, in the language of `man`, made from the command table.
struct Manual {
  let table: CommandTable

  private static let overview = "session"
  private static let json = "session-json"

  /// `session`, `session-json`, and `session-account-new` for each command.
  var pageNames: [String] { [Self.overview, Self.json] + table.commands.map(Self.name) }

  func page(named name: String) -> String? {
    if name == Self.overview { return overview() }
    if name == Self.json { return jsonForms() }
    return table.commands.first { Self.name(of: $0) == name }.map(page)
  }

  private static func name(of command: Command) -> String {
    ([overview] + command.words).joined(separator: "-")
  }

  private func overview() -> String {
    var roff = Roff(page: Self.overview, summary: "a private messenger that speaks the Session protocol")
    roff.section("synopsis")
    roff.text(bold: "session", "COMMAND [ARGUMENTS] [OPTIONS]")
    for group in table.groups {
      roff.section("commands: \(group.name)")
      for command in group.commands {
        roff.item(bold: "session \(command.name)", "see \(Self.name(of: command))(1): \(command.summary)")
      }
    }
    for topic in table.topics {
      roff.section(topic.name.split(separator: "-").joined(separator: " "))
      roff.paragraphs(topic.discussion)
      for row in topic.rows { roff.item(bold: row.name, row.text) }
      roff.examples(topic.examples)
    }
    return roff.source
  }

  private func jsonForms() -> String {
    var roff = Roff(page: Self.json, section: 5, summary: "the output of session with --json")
    roff.section("description")
    roff.paragraphs(Topic.json.discussion)
    roff.paragraphs(
      """

      Each object below is written by the commands named with it, or is part of another object. Texts are unchanged
      user input and may contain control characters: clean them before printing them to a terminal.
      """)
    for form in JSONForm.all {
      roff.section(form.name)
      roff.paragraphs("\(form.summary); \(form.author).")
      for member in form.members {
        let presence = member.isOptional ? ", may be missing" : ""
        roff.item(bold: member.name, "\(member.summary) (\(member.value.description)\(presence))")
      }
    }
    roff.section("see also")
    roff.paragraphs("session(1)")
    return roff.source
  }

  private func page(of command: Command) -> String {
    var roff = Roff(page: Self.name(of: command), summary: command.summary)
    roff.section("synopsis")
    let parts = command.usageParts
    roff.text(bold: parts[0], parts.dropFirst().joined(separator: " "))
    if let discussion = command.discussion {
      roff.section("description")
      roff.paragraphs(discussion)
    }
    if !command.arguments.isEmpty {
      roff.section("arguments")
      for argument in command.arguments { roff.item(bold: argument.name, argument.summary) }
    }
    if !command.options.isEmpty {
      roff.section("options")
      for option in command.options { roff.item(bold: option.label, option.summary) }
    }
    if !command.examples.isEmpty {
      roff.section("examples")
      roff.examples(command.examples)
    }
    roff.section("exit status")
    roff.paragraphs("0 on success; session(1) lists the other exit codes.")
    roff.section("see also")
    roff.paragraphs("session(1)")
    return roff.source
  }
}
