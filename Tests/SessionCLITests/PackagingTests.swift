import Foundation
import Testing

@testable import SessionCLI

/// What an installation has beside the program.
@Suite struct PackagingTests {
  private static let analyzer = "/usr/bin/systemd-analyze"
  private let program: Program

  init() throws { program = try Program() }

  /// Runs another program to its end: its status, and what it told.
  private func run(_ path: String, _ words: [String]) async throws -> (status: Int32, messages: String) {
    let process = program.prepared(words)
    process.executableURL = URL(filePath: path)
    process.environment = ["PATH": "/usr/bin:/bin", "XDG_RUNTIME_DIR": program.folder.path]
    let messages = program.path("messages")
    try Data().write(to: messages)
    process.standardError = try FileHandle(forWritingTo: messages)
    let status: Int32 = try await withCheckedThrowingContinuation { waiting in
      process.terminationHandler = { waiting.resume(returning: $0.terminationStatus) }
      do {
        try process.run()
      } catch {
        process.terminationHandler = nil
        waiting.resume(throwing: error)
      }
    }
    return (status, try String(contentsOf: messages, encoding: .utf8))
  }

  /// The units of a manager, as they are installed beside the program.
  private func units(_ manager: String) async throws -> [URL] {
    let bin = program.path("bin")
    if !FileManager.default.fileExists(atPath: bin.path) {
      try FileManager.default.createDirectory(at: bin, withIntermediateDirectories: false)
      let own = try #require(program.prepared([]).executableURL)
      try FileManager.default.createSymbolicLink(at: bin.appending(path: "session"), withDestinationURL: own)
    }
    let tests = URL(filePath: #filePath).deletingLastPathComponent()
    let script = tests.appending(path: "../../scripts/install-units").standardizedFileURL
    let installed = try await run(script.path, [program.folder.path])
    try #require(installed.status == 0, "\(installed.messages)")
    return try FileManager.default.contentsOfDirectory(
      at: program.path("lib/systemd/\(manager)"), includingPropertiesForKeys: nil
    ).sorted { $0.path < $1.path }
  }

  @Test func eachUnitRunsACommandThatThereIs() async throws {
    let (ours, theirs) = (try await units("system"), try await units("user"))
    #expect(
      ours.map(\.lastPathComponent) == [
        "session-file-server.service", "session-node.service", "session-registry.service",
      ])
    #expect(theirs.map(\.lastPathComponent) == ["session-receive@.service"])
    let pages = Manual(table: .session).pageNames
    for unit in ours + theirs {
      let lines = try String(contentsOf: unit, encoding: .utf8).split(separator: "\n")
      let start = try #require(lines.first { $0.hasPrefix("ExecStart=") }).dropFirst("ExecStart=".count)
      let words = start.split(separator: " ").map { $0 == "%i" ? "alice" : String($0) }
      #expect(words.first == program.path("bin/session").path)
      _ = try SessionTool.invocation(from: Array(words.dropFirst()))
      let named = try #require(lines.first { $0.hasPrefix("Documentation=") }).split(separator: "=")[1]
      for page in named.split(separator: " ") {
        #expect(pages.contains { page == "man:\($0)(1)" }, "\(page)")
      }
    }
  }

  @Test(
    .enabled(if: FileManager.default.isExecutableFile(atPath: analyzer)), arguments: ["system", "user"])
  func systemdUnderstandsThem(manager: String) async throws {
    let files = try await units(manager).map(\.path)
    let judged = try await run(Self.analyzer, ["--\(manager)", "--man=no", "verify"] + files)
    #expect(judged.status == 0)
    #expect(judged.messages.split(separator: "\n").filter { $0.contains("session-") } == [])
  }
}
