import Folders
import Foundation
import SessionBase
import SessionStorage
import Synchronization
import Testing

@testable import SessionCLI

/// What programs note for finding faults.
@Suite struct LogTests {
  private let roots: StorageRoots
  private let folder: LogFolder
  private let temporary: TemporaryFolder
  /// 2026-11-27, noon.
  private static let noon: Int64 = 1_795_780_800_000
  private static let day: Int64 = 86_400_000

  init() throws {
    temporary = try TemporaryFolder()
    roots = StorageRoots(inside: temporary.path("roots"))
    folder = LogFolder(in: roots)
  }

  private func writer(_ level: ClientLog.Level = .info, at time: Int64 = noon) -> LogWriter {
    LogWriter(folder, levels: LogLevels(level)) { time }
  }

  private func lines() throws -> [String] {
    try folder.files().flatMap { path in
      try String(contentsOfFile: path, encoding: .utf8).split(separator: "\n").map(String.init)
    }
  }

  private func make(_ name: String, bytes: Int) throws {
    try PrivateFolder.prepare(folder.path)
    #expect(FileManager.default.createFile(atPath: "\(folder.path)/\(name)", contents: Data()))
    try FileHandle(forWritingTo: URL(filePath: "\(folder.path)/\(name)")).truncate(atOffset: UInt64(bytes))
  }

  private enum Cause: CaseIterable { case unknown }

  @Test func anEventIsALineOfJSON() async throws {
    let writer = writer()
    let id = try SessionIDText.some
    writer.log(of: 2)(
      .warn, .poller, "poll-failed", .count(3), .person(id),
      .error(FileError(.diskFull, "secret.txt is full")),
      .code(Cause.unknown))
    await writer.flush()
    let pid = ProcessInfo.processInfo.processIdentifier
    #expect(
      try lines() == [
        """
        {"at":1795780800000,"level":"warn","part":"poller","event":"poll-failed","account":2,"fields":{"count":3,\
        "person":"05aa…bb01","error":"FileError.diskFull","reason":"unknown"},"pid":\(pid)}
        """
      ])
    #expect(try folder.files() == ["\(folder.path)/session-20261127.jsonl"])
  }

  private struct SessionIDText: LoggableID {
    let description: String

    static var some: SessionIDText {
      get throws { SessionIDText(description: "05aa\(String(repeating: "c", count: 58))bb01") }
    }
  }

  @Test func theSameWithinTenSecondsIsCounted() async throws {
    let writer = writer()
    let log = writer.log()
    for _ in 0..<5 { log(.info, .jobs, "attempt-failed", .row(7, "job")) }
    log(.info, .jobs, "attempt-failed", .row(8, "job"))
    await writer.flush()
    let records = try lines().compactMap { LogRecord(Array($0.utf8)) }
    #expect(records.map(\.repeats) == [0, 0, 4])
    #expect(records.last?.fields == [.init("job", .integer(7))])
  }

  @Test func lessImportantEventsAreLeftOut() async throws {
    let writer = writer(.warn)
    writer.log()(.info, .daemon, "started")
    writer.log()(.error, .files, "missing")
    await writer.flush()
    #expect(try lines().count == 1)
  }

  @Test func aLargeFileBecomesTheOlderOne() async throws {
    try make("session-20261127.jsonl", bytes: LogFolder.maxFile)
    let writer = writer()
    writer.log()(.info, .daemon, "started")
    await writer.flush()
    // The first write opens the file, and the next one finds that it is large.
    writer.log()(.info, .daemon, "stopped")
    await writer.flush()
    let names = try Folder.names(in: folder.path)
    #expect(names == ["lock", "session-20261127.jsonl", "session-20261127.jsonl.1"])
    #expect(try folder.files().map { $0.hasSuffix(".1") } == [true, false])
    #expect(LogFolder.size(of: try #require(folder.files().last)) < 1000)
  }

  @Test func aFileThatAnotherProgramRenamedIsLeftToIt() async throws {
    let writer = writer()
    writer.log()(.info, .daemon, "started")
    await writer.flush()
    let file = try #require(folder.files().first)
    try FileManager.default.moveItem(atPath: file, toPath: LogFolder.older(file))
    writer.log()(.info, .daemon, "stopped")
    await writer.flush()
    #expect(try String(contentsOfFile: file, encoding: .utf8).contains("stopped"))
  }

  @Test func oldDaysAndTooManyBytesAreDeleted() throws {
    for name in ["session-20261124.jsonl", "session-20261125.jsonl", "session-20261126.jsonl.1"] {
      try make(name, bytes: 10)
    }
    try make("session-20261126.jsonl", bytes: 10)
    folder.prune(at: Self.noon)
    #expect(
      try folder.files().map { $0.dropFirst(folder.path.count + 1) } == [
        "session-20261125.jsonl", "session-20261126.jsonl.1", "session-20261126.jsonl",
      ])
    try make("session-20261126.jsonl.1", bytes: LogFolder.maxTotal)
    folder.prune(at: Self.noon)
    #expect(try folder.files().map { $0.dropFirst(folder.path.count + 1) } == ["session-20261126.jsonl"])
    // Another day's file needs room.
    try make("session-20261126.jsonl.1", bytes: LogFolder.maxTotal - LogFolder.maxFile)
    folder.prune(at: Self.noon)
    #expect(try folder.files().map { $0.dropFirst(folder.path.count + 1) } == ["session-20261126.jsonl"])
  }

  @Test func theLogIsKeptForAsManyDaysAsTheSettingsSay() throws {
    for day in 20...27 { try make("session-202611\(day).jsonl", bytes: 10) }
    folder.prune(at: Self.noon, keeping: 5)
    #expect(try folder.files().map { $0.suffix(14) } == (23...27).map { "202611\($0).jsonl"[...] })
    folder.prune(at: Self.noon, keeping: 1)
    #expect(try folder.files().map { $0.suffix(14) } == ["20261127.jsonl"])
  }

  @Test func aLogThatCannotBeWrittenStopsNothing() async throws {
    try PrivateFolder.prepare(roots.state)
    #expect(FileManager.default.createFile(atPath: folder.path, contents: nil))
    let writer = writer()
    writer.log()(.error, .files, "missing")
    await writer.flush()
    #expect(try FileManager.default.contentsOfDirectory(atPath: roots.state) == ["log"])
  }

  @Test(arguments: [
    "", "{", "[]", "{\"at\":1}", "{\"at\":1,\"level\":\"loud\",\"part\":\"jobs\",\"event\":\"x\"}",
  ])
  func linesOfOthersAreNoRecords(text: String) {
    #expect(LogRecord(Array(text.utf8)) == nil)
  }

  @Test func theLogIsReadAcrossFilesAndAsItGrows() async throws {
    for (day, event) in [(Self.day, "yesterday"), (0, "today")] {
      let writer = writer(at: Self.noon - day)
      writer.log()(.info, .account, event == "today" ? "today" : "yesterday")
      await writer.flush()
    }
    var reader = LogReader(folder)
    #expect(try reader.next().map(\.event) == ["yesterday"])
    #expect(try reader.next().map(\.event) == ["today"])
    #expect(try reader.next().isEmpty)
    let file = try FileHandle(forWritingTo: URL(filePath: try #require(folder.files().last)))
    let line = LogLine(time: Self.noon, process: 1, account: nil, event(named: "more")).json
    try file.seekToEnd()
    try file.write(contentsOf: Data(line.prefix(20).utf8))
    #expect(try reader.next().isEmpty)
    try file.write(contentsOf: Data((line.dropFirst(20) + "\n").utf8))
    #expect(try reader.next().map(\.event) == ["more"])
  }

  private func event(named name: StaticString) -> ClientLog.Event {
    let kept = Mutex<ClientLog.Event?>(nil)
    ClientLog { event in kept.withLock { $0 = event } }(.info, .account, name)
    return kept.withLock { $0! }
  }
}
