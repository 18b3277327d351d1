/// The help texts, made from the command table.
struct Help {
  let table: CommandTable

  /// The output of `session help`.
  func overview() -> [CommandOutput.Part] {
    let width = table.commands.map(\.name.count).max() ?? 0
    let groups: [CommandOutput.Part] = table.groups.flatMap { group -> [CommandOutput.Part] in
      let rows = group.commands.map { ($0.name, $0.summary) }
      return [.heading(group.name + ":\n"), .text(Self.rows(rows, width: width) + "\n")]
    }
    return [
      .text("session - a private messenger that speaks the Session protocol\n\n"),
      .heading("usage:"), .text(" session COMMAND [ARGUMENTS] [OPTIONS]\n\n"),
    ] + groups + [
      .heading("topics:\n"),
      .text(Self.rows(table.topics.map { ($0.name, $0.summary) }, width: width)),
      .text(
        "\nrun: session help start, session help COMMAND or session help TOPIC\n"
      ),
    ]
  }

  /// The output of `session help TOPIC`.
  func page(of topic: Topic) -> [CommandOutput.Part] {
    var page: [CommandOutput.Part] = [
      .heading(topic.name), .text(" - \(topic.summary)\n\n\(topic.discussion)\n"),
    ]
    if !topic.rows.isEmpty { page.append(.text("\n" + Self.rows(topic.rows))) }
    page += Self.section("examples", Self.lines(of: topic.examples))
    return page
  }

  /// The commands that begin with the same word, as `session help account` shows them.
  func list(of commands: [Command]) -> String {
    Self.rows(commands.map { ($0.name, $0.summary) })
  }

  /// The output of `session help COMMAND`.
  func page(of command: Command) -> [CommandOutput.Part] {
    var page: [CommandOutput.Part] = [
      .heading("session \(command.name)"), .text(" - \(command.summary)\n\n"),
      .heading("usage:"), .text(" \(Self.usage(of: command))\n"),
    ]
    if let discussion = command.discussion { page.append(.text("\n\(discussion)\n")) }
    page += Self.section("arguments", Self.rows(command.arguments.map { ($0.name, $0.summary) }))
    page += Self.section("options", Self.rows(command.options.map { ($0.label, $0.summary) }))
    page += Self.section("examples", Self.lines(of: command.examples))
    return page
  }

  private static func section(_ title: String, _ body: String) -> [CommandOutput.Part] {
    body.isEmpty ? [] : [.text("\n"), .heading(title + ":\n"), .text(body)]
  }

  private static func lines(of examples: [Command.Example]) -> String {
    examples.map { "  $ \($0.line)\n      \($0.summary)\n" }.joined()
  }

  private static let usageWidth = 100

  /// The usage on as many lines as it needs.
  private static func usage(of command: Command) -> String {
    var lines: [String] = []
    for part in command.usageParts {
      if let last = lines.last, last.count + 1 + part.count <= usageWidth {
        lines[lines.count - 1] = last + " " + part
      } else {
        lines.append(lines.isEmpty ? part : "         " + part)
      }
    }
    return lines.joined(separator: "\n")
  }

  private static func rows(_ rows: [(name: String, text: String)], width: Int? = nil) -> String {
    let width = width ?? rows.map(\.name.count).max() ?? 0
    return rows.map { "  \($0.name.padded(to: width))  \($0.text)\n" }.joined()
  }
}
