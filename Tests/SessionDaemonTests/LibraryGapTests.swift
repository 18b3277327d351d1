import Folders
import Foundation
import SessionBase
import SessionMessaging
import Testing

@testable import SessionDaemon

/// The client libraries in `examples/clients`, at a reader whose events are gone.
@Suite struct LibraryGapTests {
  private static let libraries = URL(filePath: #filePath).appending(path: "../../../examples/clients")
    .standardizedFileURL.path
  private static let compiler = ProcessInfo.processInfo.environment["PATH"]?.split(separator: ":")
    .map { "\($0)/swiftc" }.first { FileManager.default.isExecutableFile(atPath: $0) }

  private static let python = """
    import sys
    sys.dont_write_bytecode = True
    sys.path.insert(0, sys.argv[2])
    from session import Gap, Session
    session = Session(path=sys.argv[1])
    try:
        next(session.events("bot"))
    except Gap as gap:
        print("gap", gap.oldest)
    for event in session.events("bot"):
        print("event", event["cursor"])
        break
    """

  private static let swift = """
    struct Done: Error {}
    let session = Session(path: CommandLine.arguments[1])
    do { try session.events("bot") { _ in throw Done() } } catch let gap as SessionGap { print("gap", gap.oldest) }
    do {
      try session.events("bot") { event in
        print("event", event.cursor)
        throw Done()
      }
    } catch is Done {}
    """

  /// Runs a program to its end, and returns what it wrote. No thread of the tasks waits for it.
  private func output(_ program: String, _ words: [String], in folder: TemporaryFolder) async throws -> String
  {
    try folder.write([], to: "output")
    let process = Process()
    process.executableURL = URL(filePath: program)
    process.arguments = words
    process.standardOutput = try FileHandle(forWritingTo: folder.url.appending(path: "output"))
    let (ends, ending) = AsyncStream.makeStream(of: Never.self)
    process.terminationHandler = { _ in ending.finish() }
    try process.run()
    for await _ in ends {}
    #expect(process.terminationStatus == 0)
    return String(decoding: try folder.read("output"), as: UTF8.self)
  }

  /// A reader that missed events is told so once, and goes on behind them.
  private func expectGap(_ program: (TemporaryFolder, _ socket: String) async throws -> (String, [String]))
    async throws
  {
    let account = try await ReadAccount()
    _ = try await account.messenger.registerReader("bot")
    for _ in 0..<3 { try await account.happen() }
    try await account.forget(keeping: 1)
    let newest = try await account.messenger.lastEvent()
    let server = try account.server()
    let folder = try TemporaryFolder()
    let (path, words) = try await program(folder, server.path)
    #expect(
      try await output(path, words, in: folder) == "gap \(newest.rawValue)\nevent \(newest.rawValue)\n")
    await server.stop()
    await account.messenger.stop()
  }

  @Test func programsInPythonLearnOfLostEvents() async throws {
    try await expectGap { _, socket in ("/usr/bin/python3", ["-c", Self.python, socket, Self.libraries]) }
  }

  @Test(.enabled(if: compiler != nil, "there is no swiftc on PATH"))
  func programsInSwiftLearnOfLostEvents() async throws {
    try await expectGap { folder, socket in
      try folder.write(Array(Self.swift.utf8), to: "main.swift")
      let bot = folder.path("bot")
      let sources = [folder.path("main.swift"), Self.libraries + "/Session.swift"]
      _ = try await output(
        try #require(Self.compiler), ["-swift-version", "6", "-o", bot] + sources, in: folder)
      return (bot, [socket])
    }
  }
}
