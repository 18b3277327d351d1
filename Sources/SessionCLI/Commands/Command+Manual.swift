extension Command {
  static let manual = Command(
    name: "manual",
    summary: "print a manual page, or list the pages",
    discussion: """
      Prints the page as roff source. 'make install' installs all pages where man finds them.
      """,
    arguments: [
      .init(name: "PAGE", summary: "the page to print; lists the pages if omitted", isOptional: true)
    ],
    examples: [
      .init(line: "session manual session-seal | man -l -", summary: "show a page that is not installed")
    ],
    needsSettings: false,
    rpc: .none(.isLocal)
  ) { invocation, _ in
    let manual = Manual(table: .session)
    guard let name = invocation.arguments.first else {
      return CommandOutput(text: manual.pageNames.map { $0 + "\n" }.joined())
    }
    guard let page = manual.page(named: name) else {
      throw CommandFailure.usage(
        "there is no page \(name) in the manual", advice: "'session manual' lists the pages.")
    }
    return CommandOutput(text: page)
  }
}
