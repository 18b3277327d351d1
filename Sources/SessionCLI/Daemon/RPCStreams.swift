import Glibc
import SessionBase
import SessionDaemon
import SessionTerminal

/// Passes JSON-RPC between the streams of this process and a server.
struct RPCStreams: Sendable {
  let link: RPCLink
  let io: CommandIO

  private enum End: Sendable {
    /// There is no more input.
    case input
    /// The server takes no more input.
    case refused
    /// The server writes no more.
    case output
  }

  /// Returns when the input has ended and the last reply is written. Throws `Ended` if the server ends before.
  func run() async throws {
    try await withThrowingTaskGroup(of: End.self) { group in
      group.addTask { try await passInput() }
      group.addTask { try await passOutput() }
      defer { group.cancelAll() }
      var hasInputEnded = false
      while let end = try await group.next() {
        switch end {
        case .input: hasInputEnded = true
        case .refused: continue
        case .output:
          guard hasInputEnded else { throw RPCLink.Ended() }
          return
        }
      }
    }
  }

  private func passInput() async throws -> End {
    let input = try WakingInput.reading(STDIN_FILENO)
    let queue = WorkerQueue("session.rpc.input")
    return try await withTaskCancellationHandler {
      while !Task.isCancelled {
        switch await queue.run({ input.wait() }) {
        case .bytes(let bytes):
          do { try await link.write(bytes) } catch is FileError { return .refused }
        case .woken: continue
        case .end:
          link.endWriting()
          return .input
        }
      }
      throw CancellationError()
    } onCancel: {
      input.wake()
    }
  }

  private func passOutput() async throws -> End {
    let queue = WorkerQueue("session.rpc.output")
    while let bytes = try await link.read() {
      try await queue.run { try io.write(bytes.span) }
    }
    return .output
  }
}
