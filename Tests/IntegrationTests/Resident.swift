import Foundation
import SessionCore
import Spawning
import Testing

/// A device as a process of its own, and the lines that it tells. Nothing here blocks a thread that tasks run on.
final class Resident: Sendable {
  private let process = Process()
  private let lines: AsyncStream<String>
  private let ends: AsyncStream<Process.TerminationReason>

  /// The work of a resident, apart from receiving.
  enum Occupation {
    case none
    /// Writes somebody the numbers.
    case writing(to: SessionID)
    /// Sends somebody a file with each number.
    case sendingFiles(to: SessionID)
    /// Fetches every file that comes.
    case fetchingFiles

    fileprivate var words: [String] {
      switch self {
      case .none: []
      case .writing(let person): ["write", person.description]
      case .sendingFiles(let person): ["send", person.description]
      case .fetchingFiles: ["fetch"]
      }
    }
  }

  init(in folder: String, _ networkFile: String, _ occupation: Occupation = .none) throws {
    let output = Pipe.closedOnExec()
    process.executableURL = URL(filePath: "/proc/self/exe").resolvingSymlinksInPath()
      .deletingLastPathComponent().appending(path: "messenger-resident")
    process.arguments = [folder, networkFile] + occupation.words
    process.standardInput = FileHandle.nullDevice
    process.standardOutput = output
    (lines, ends) = (Self.lines(of: output.fileHandleForReading), Self.ends(of: process))
    try process.start()
  }

  deinit { if process.isRunning { kill(process.processIdentifier, SIGKILL) } }

  /// Kills it once it has told so many lines that begin with a word, and returns all that it told.
  func die(after count: Int, _ word: String) async throws -> [String] {
    var told: [String] = []
    var rest = count
    for await line in lines {
      told.append(line)
      guard line.hasPrefix(word) else { continue }
      rest -= 1
      if rest == 0 { kill(process.processIdentifier, SIGKILL) }
    }
    try #require(rest <= 0, "the device ended by itself, and told \(told)")
    for await reason in ends { try #require(reason == .uncaughtSignal) }
    return told
  }

  private static func lines(of handle: FileHandle) -> AsyncStream<String> {
    let (stream, telling) = AsyncStream.makeStream(of: String.self)
    // On a thread of its own, which ends with the pipe: a handler could be called when its handle is closed already.
    Thread.detachNewThread {
      var rest: [UInt8] = []
      while case let data = handle.availableData, !data.isEmpty {
        var parts = (rest + data).split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false)
        rest = Array(parts.removeLast())
        for line in parts { telling.yield(String(decoding: line, as: UTF8.self)) }
      }
      telling.finish()
    }
    return stream
  }

  private static func ends(of process: Process) -> AsyncStream<Process.TerminationReason> {
    let (stream, ending) = AsyncStream.makeStream(of: Process.TerminationReason.self)
    process.terminationHandler = { process in
      ending.yield(process.terminationReason)
      ending.finish()
    }
    return stream
  }
}
