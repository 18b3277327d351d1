import Foundation
import SessionBase
import SessionStorage
import Testing

@testable import SessionCLI

/// `session log`.
@Suite struct LogCommandTests {
  private let program: Program

  init() async throws {
    program = try Program.atHome()
    let roots = try StorageRoots(environment: ["HOME": program.folder.path])
    let writer = LogWriter(LogFolder(in: roots))
    for id in ["05aa", "03bb", "05aa"] {
      writer.log(of: 1)(.warn, .poller, "poll-failed", .person(ID(start: id), "group"))
    }
    writer.log()(.info, .daemon, "started")
    await writer.flush()
  }

  private struct ID: LoggableID {
    let start: String
    var description: String { start + String(repeating: "0", count: 62) }
  }

  @Test func theLogIsShown() throws {
    let shown = try program.run("log", "show")
    #expect(shown.status == 0)
    let lines = shown.output.split(separator: "\n").map { $0.drop { $0 != " " }.dropFirst() }
    #expect(
      lines == [
        "warn  poller   poll-failed account=1 group=05aa…0000",
        "warn  poller   poll-failed account=1 group=03bb…0000",
        "info  daemon   started", "warn  poller   poll-failed account=1 group=05aa…0000 (1 more)",
      ])
    #expect(try program.run("log", "show", "--level", "warn").output.split(separator: "\n").count == 3)
  }

  @Test func scriptsGetObjects() throws {
    let shown = try program.run("log", "show", "--json", "--level", "warn")
    let first = try #require(shown.output.split(separator: "\n").first)
    let json = try JSONReader.value(of: Array(first.utf8))
    #expect(json["type"]?.string == "log")
    #expect(json["fields"]?["group"]?.string == "05aa…0000")
  }

  @Test func anExportNamesNoPerson() throws {
    let done = try program.run("log", "export", "--to", "report.txt")
    #expect(done.status == 0)
    #expect(done.output == "")
    let text = try String(contentsOf: program.path("report.txt"), encoding: .utf8)
    #expect(text.hasPrefix("session 0."))
    #expect(text.contains("account=1 group=P1\n"))
    #expect(text.contains("account=1 group=P2\n"))
    for id in ["05aa", "03bb", "0000"] { #expect(!text.contains(id)) }
    let mode = try FileManager.default.attributesOfItem(atPath: program.path("report.txt").path)[
      .posixPermissions]
    #expect(mode as? Int == 0o600)
    let again = try program.run("log", "export", "--to", "report.txt")
    #expect(again.status == 73)
  }

  @Test(arguments: [["show", "--level", "loud"], ["show", "--since", "yesterday"], ["export"]])
  func wrongWordsAreRefused(words: [String]) throws {
    #expect(try program.start(["log"] + words).outcome().status == 64)
  }
}
