import SessionCLI
import Synchronization

@testable import SessionCore

/// A world in memory for commands: what they read, and what they left behind.
final class MemoryIO: Sendable {
  private struct State {
    var files: [String: [UInt8]]
    var input: [UInt8]
    var output: [UInt8] = []
    var messages: [String] = []
  }

  /// The time in every such world.
  static let now: UInt64 = 1_700_000_000_123

  private let state: Mutex<State>

  init(files: [String: String] = [:], inputBytes: [UInt8]) {
    state = Mutex(State(files: files.mapValues { Array($0.utf8) }, input: inputBytes))
  }

  convenience init(files: [String: String] = [:], input: String = "") {
    self.init(files: files, inputBytes: Array(input.utf8))
  }

  var outputBytes: [UInt8] { state.withLock { $0.output } }
  var output: String { String(decoding: outputBytes, as: UTF8.self) }
  var messages: [String] { state.withLock { $0.messages } }

  /// Runs a command in this world.
  func run(_ words: [String], isTerminal: Bool = false) async -> ExitCode {
    await SessionTool.run(words, io: io(isTerminal: isTerminal))
  }

  func run(_ words: String..., isTerminal: Bool = false) async -> ExitCode {
    await run(words, isTerminal: isTerminal)
  }

  func io(isTerminal: Bool = false) -> CommandIO {
    CommandIO(
      read: { [self] (path, limit) throws(SessionError) in
        let found = state.withLock { state in path.map { state.files[$0] } ?? state.input }
        guard let found else { throw SessionError(.fileUnreadable, "cannot open \(path ?? "input")") }
        guard found.count <= limit else { throw SessionError(.tooLarge, "larger than \(limit) bytes") }
        return found
      },
      create: { [self] (path, content) throws(SessionError) in
        state.withLock { $0.files[path] = Array((content.reveal() + "\n").utf8) }
      },
      write: { [self] (bytes) throws(SessionError) in
        let copy = bytes.withUnsafeBufferPointer { Array($0) }
        state.withLock { $0.output += copy }
      },
      tell: { [self] line in state.withLock { $0.messages.append(line) } },
      askSecret: { (_) throws(SessionError) in nil },
      environment: [:],
      now: { Self.now },
      isTerminal: isTerminal)
  }
}

extension CommandIO {
  /// A world in which every file has this text.
  static func reading(_ text: String) -> CommandIO {
    CommandIO(
      read: { _, _ in Array(text.utf8) }, create: { _, _ in }, write: { _ in }, tell: { _ in },
      askSecret: { _ in nil }, environment: [:], now: { 0 }, isTerminal: false)
  }
}
