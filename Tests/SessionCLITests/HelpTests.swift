import Foundation
import Testing

@testable import SessionCLI

@Suite struct HelpTests {
  private let pages =
    [[]] + CommandTable.session.commands.map(\.words) + CommandTable.session.topics.map { [$0.name] }

  /// Every help text, one after the other, as it is pinned in Golden/help.txt. To accept a change, run the tests
  /// with UPDATE_GOLDEN=1 and read the difference.
  @Test func theHelpTextsAreThoseThatWerePinned() async throws {
    var text = ""
    for words in pages {
      let world = MemoryIO()
      #expect(await world.run(["help"] + words) == .success)
      text += "$ session \((["help"] + words).joined(separator: " "))\n\(world.output)\n"
    }
    let golden = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "Golden/help.txt")
    if ProcessInfo.processInfo.environment["UPDATE_GOLDEN"] != nil {
      try Data(text.utf8).write(to: golden)
    }
    #expect(text == String(decoding: try Data(contentsOf: golden), as: UTF8.self))
  }

  @Test(arguments: [["seal", "--help"], ["seal", "-h"], ["seal", "--from", "x", "--help"]])
  func everyCommandKnowsHelp(words: [String]) async {
    let asked = MemoryIO()
    let explained = MemoryIO()
    #expect(await asked.run(words) == .success)
    #expect(await explained.run("help", "seal") == .success)
    #expect(asked.output == explained.output)
  }

  @Test func aGroupOfCommandsIsListed() async {
    let world = MemoryIO()
    #expect(await world.run("help", "attachment") == .success)
    let names = world.output.split(separator: "\n").map {
      $0.split(separator: " ").prefix(2).joined(separator: " ")
    }
    #expect(names == ["attachment list", "attachment save", "attachment seal", "attachment open"])
  }

  @Test(arguments: [["--version"], ["version"]])
  func theVersionIsShown(words: [String]) async {
    let world = MemoryIO()
    #expect(await world.run(words) == .success)
    #expect(world.output == "session 0.1.0\n")
    let program = MemoryIO()
    #expect(await program.run(words + ["--json"]) == .success)
    #expect(program.output == #"{"v":1,"version":"0.1.0"}"# + "\n")
  }

  @Test func linesFitATerminal() async {
    for words in pages {
      let world = MemoryIO()
      #expect(await world.run(["help"] + words) == .success)
      for line in world.output.split(separator: "\n") { #expect(line.count <= 120, "\(line)") }
    }
  }

  @Test func namesAndOptionsAreUnique() {
    let commands = CommandTable.session.commands
    let names = commands.map(\.name) + CommandTable.session.topics.map(\.name)
    #expect(Set(names).count == names.count)
    for command in commands {
      #expect(Set(command.options.map(\.name)).count == command.options.count)
    }
  }

  @Test func theWordsOfACommandMayBeOneArgument() async {
    let (one, two) = (MemoryIO(), MemoryIO())
    #expect(await one.run("help", "account new") == .success)
    #expect(await two.run("help", "account", "new") == .success)
    #expect(one.output == two.output)
  }
}
