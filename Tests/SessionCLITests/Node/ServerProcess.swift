import Foundation
import Spawning
import Synchronization
import Testing

/// The program as a server: a process of its own, and the lines that it tells. Nothing here blocks a thread that tasks
/// run on.
final class ServerProcess: Sendable {
  private let process: Process
  private let ends: AsyncStream<Int32>
  private let lines: LineReader

  enum Stream {
    case output
    case messages
  }

  /// With a starter, that other program begins it, with these words behind it. Without an input it has none.
  init(
    _ program: Program, _ words: [String], reading stream: Stream = .messages,
    startedBy starter: String? = nil, input: Pipe? = nil
  ) throws {
    let pipe = Pipe.closedOnExec()
    lines = LineReader(pipe.fileHandleForReading)
    process = program.prepared(words)
    if let starter, let executable = process.executableURL {
      process.arguments = [executable.path] + (process.arguments ?? words)
      process.executableURL = URL(filePath: starter)
    }
    process.standardInput = input ?? FileHandle.nullDevice
    process.standardOutput = stream == .output ? pipe : FileHandle.nullDevice
    process.standardError = stream == .messages ? pipe : FileHandle.nullDevice
    let (ends, ending) = AsyncStream.makeStream(of: Int32.self)
    self.ends = ends
    process.terminationHandler = { process in
      ending.yield(process.terminationStatus)
      ending.finish()
    }
    try process.start()
  }

  deinit { if process.isRunning { kill(process.processIdentifier, SIGKILL) } }

  /// The next line that has all of these texts in it. Those before it are passed over.
  func line(with texts: String...) async throws -> String {
    while let line = await lines.next() {
      if texts.allSatisfy(line.contains) { return line }
    }
    throw Ended(waitedFor: texts, told: lines.all)
  }

  struct Ended: Error {
    let waitedFor: [String]
    let told: [String]
  }

  func signal(_ number: Int32) { kill(process.processIdentifier, number) }

  /// How it ended: the status, or the number of the signal.
  func end() async -> Int32 {
    for await status in ends { return status }
    return -1
  }
}

/// Lines from a pipe, for one reader.
private final class LineReader: Sendable {
  private let stream: AsyncStream<String>
  private let told = Mutex<[String]>([])
  private let rest = Mutex<[UInt8]>([])

  init(_ handle: FileHandle) {
    let (stream, telling) = AsyncStream.makeStream(of: String.self)
    self.stream = stream
    // On a thread of its own, which ends with the pipe: a handler could be called when its handle is closed already.
    Thread.detachNewThread { [self] in
      while case let data = handle.availableData, !data.isEmpty {
        for line in take(Array(data)) { telling.yield(line) }
      }
      telling.finish()
    }
  }

  /// All lines so far.
  var all: [String] { told.withLock { $0 } }

  func next() async -> String? {
    for await line in stream { return line }
    return nil
  }

  private func take(_ bytes: [UInt8]) -> [String] {
    let lines = rest.withLock { rest in
      rest += bytes
      let whole = rest.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false)
      rest = Array(whole.last ?? [])
      return whole.dropLast().map { String(decoding: $0, as: UTF8.self) }
    }
    told.withLock { $0 += lines }
    return lines
  }
}
