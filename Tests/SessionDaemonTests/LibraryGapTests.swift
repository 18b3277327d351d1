import Folders
import Foundation
import SessionBase
import SessionMessaging
import Spawning
import Testing

@testable import SessionDaemon

/// The client libraries in `examples/clients`, where events are lost, handlers fail and others take over.
@Suite(.timeLimit(.minutes(5))) struct LibraryGapTests {
  private static let libraries = URL(filePath: #filePath).appending(path: "../../../examples/clients")
    .standardizedFileURL.path
  private static let compiler = ProcessInfo.processInfo.environment["PATH"]?.split(separator: ":")
    .map { "\($0)/swiftc" }.first { FileManager.default.isExecutableFile(atPath: $0) }

  private static let pythonHead = """
    import sys
    sys.dont_write_bytecode = True
    sys.path.insert(0, sys.argv[2])
    from session import Gap, Session, SessionError

    """

  private static let pythonLosing = """
    session = Session(path=sys.argv[1])
    try:
        next(session.events("bot"))
    except Gap as gap:
        print("gap", gap.oldest)
    for event in session.events("bot"):
        print("event", event["cursor"])
        break
    """

  private static let swiftLosing = """
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

  /// The handling of the first event fails; then another reader reads, and the first one goes on.
  private static let pythonFailing = """
    session = Session(path=sys.argv[1])
    def read(reader, count):
        stream = session.events(reader)
        for _ in range(count):
            event = next(stream)
            print(event["account"], reader, event["cursor"])
        stream.close()
    for reader, count in (("bot", 1), ("bot", 1), ("other", 1), ("bot", 2)):
        read(reader, count)
    """

  private static let swiftFailing = """
    struct Done: Error {}
    func read(_ session: Session, _ reader: String, _ count: Int) throws {
      var rest = count
      do {
        try session.events(reader) { event in
          print(event.account, reader, event.cursor)
          rest -= 1
          if rest == 0 { throw Done() }
        }
      } catch is Done {}
    }
    let session = Session(path: CommandLine.arguments[1])
    for (reader, count) in [("bot", 1), ("bot", 1), ("other", 1), ("bot", 2)] { try read(session, reader, count) }
    """

  /// Another program takes over while the first event is handled; calls of an account that does not exist fail each time.
  private static let pythonRefused = """
    session, other = Session(path=sys.argv[1]), Session(path=sys.argv[1])
    stream = session.events("bot")
    next(stream)
    next(other.events("bot"))
    try:
        for event in stream:
            pass
    except SessionError as error:
        print(error.code, error.kind)
    stranger = Session("stranger", path=sys.argv[1])
    for _ in range(2):
        try:
            stranger.call("events.next", reader="bot")
        except SessionError as error:
            print(error.code, error.kind)
    """

  private static let swiftRefused = """
    struct Done: Error {}
    func run(_ path: String) throws {
      let (session, other) = (Session(path: path), Session(path: path))
      var hasTaken = false
      do {
        try session.events("bot") { _ in
          if hasTaken { return }
          hasTaken = true
          do { try other.events("bot") { _ in throw Done() } } catch is Done {}
        }
      } catch let error as SessionError { print(error.code, error.kind) }
      let stranger = Session(account: "stranger", path: path)
      for _ in 0..<2 {
        do { try stranger.call("events.next", ["reader": "bot"]) } catch let error as SessionError {
          print(error.code, error.kind)
        }
      }
    }
    try run(CommandLine.arguments[1])
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
    try process.start()
    for await _ in ends {}
    #expect(process.terminationStatus == 0)
    return String(decoding: try folder.read("output"), as: UTF8.self)
  }

  /// A reader that missed events gets one gap, then the events after it.
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

  /// An event whose handling failed comes again, also after another reader has read.
  private func expectRepetition(
    _ program: (TemporaryFolder, _ socket: String) async throws -> (String, [String])
  ) async throws {
    let account = try await ReadAccount()
    _ = try await account.messenger.registerReader("bot")
    let first = try await account.happen().rawValue
    let second = try await account.happen().rawValue
    _ = try await account.messenger.registerReader("other")
    let third = try await account.happen().rawValue
    let server = try account.server()
    let folder = try TemporaryFolder()
    let (path, words) = try await program(folder, server.path)
    #expect(
      try await output(path, words, in: folder).split(separator: "\n") == [
        "alice bot \(first)", "alice bot \(first)", "alice other \(third)", "alice bot \(first)",
        "alice bot \(second)",
      ])
    await server.stop()
    await account.messenger.stop()
  }

  /// Neither a program that takes over nor an account that does not exist is taken for a lost connection.
  private func expectRefusals(
    _ program: (TemporaryFolder, _ socket: String) async throws -> (String, [String])
  ) async throws {
    let account = try await ReadAccount()
    _ = try await account.messenger.registerReader("bot")
    for _ in 0..<3 { try await account.happen() }
    let server = try account.server()
    let folder = try TemporaryFolder()
    let (path, words) = try await program(folder, server.path)
    #expect(
      try await output(path, words, in: folder) == "75 taken-over\n78 no-account\n78 no-account\n")
    await server.stop()
    await account.messenger.stop()
  }

  private static func python(_ text: String, _ socket: String) -> (String, [String]) {
    ("/usr/bin/python3", ["-c", pythonHead + text, socket, libraries])
  }

  /// Builds a program with the library.
  private func built(_ text: String, _ folder: TemporaryFolder, _ socket: String) async throws -> (
    String, [String]
  ) {
    try folder.write(Array(text.utf8), to: "main.swift")
    let bot = folder.path("bot")
    let sources = [folder.path("main.swift"), Self.libraries + "/Session.swift"]
    _ = try await output(
      try #require(Self.compiler), ["-swift-version", "6", "-o", bot] + sources, in: folder)
    return (bot, [socket])
  }

  @Test func programsInPythonLearnOfLostEvents() async throws {
    try await expectGap { _, socket in Self.python(Self.pythonLosing, socket) }
  }

  @Test func programsInPythonReceiveAnEventAgainThatTheyDidNotHandle() async throws {
    try await expectRepetition { _, socket in Self.python(Self.pythonFailing, socket) }
  }

  @Test func programsInPythonAreToldThatTheyAreRefused() async throws {
    try await expectRefusals { _, socket in Self.python(Self.pythonRefused, socket) }
  }

  @Test(.enabled(if: compiler != nil, "there is no swiftc on PATH"))
  func programsInSwiftReceiveAnEventAgainThatTheyDidNotHandle() async throws {
    try await expectRepetition { try await built(Self.swiftFailing, $0, $1) }
  }

  @Test(.enabled(if: compiler != nil, "there is no swiftc on PATH"))
  func programsInSwiftAreToldThatTheyAreRefused() async throws {
    try await expectRefusals { try await built(Self.swiftRefused, $0, $1) }
  }

  @Test(.enabled(if: compiler != nil, "there is no swiftc on PATH"))
  func programsInSwiftLearnOfLostEvents() async throws {
    try await expectGap { try await built(Self.swiftLosing, $0, $1) }
  }
}
