package import SessionBase
import Synchronization

/// A connection to a program that serves accounts.
package final class RPCClient: Sendable {
  /// The connection ended before a reply came.
  package struct Gone: Error {
    /// False if the call certainly did not reach the server.
    package let wasSent: Bool
  }

  /// The result of a call, and the files that came with it.
  typealias Reply = (result: JSONValue, files: [PassedFile])

  private struct State {
    var pending: [Int64: Pending<Result<Reply, any Error>>] = [:]
    var last: Int64 = 0
    var isGone = false
    var reading: Task<Void, Never>?
  }

  private let socket: StreamSocket
  private let state = Mutex(State())
  private let writing = Turns()
  private let hear: @Sendable (_ method: String, _ params: JSONValue) -> Void
  private let gone = Latch()

  /// Connects. Throws a `FileError` if no program listens there. `hear` receives the notifications of the server.
  package convenience init(
    to path: String, hear: @escaping @Sendable (String, JSONValue) -> Void = { _, _ in }
  ) throws(FileError) {
    self.init(try StreamSocket.connect(to: path), hear: hear)
  }

  init(_ socket: StreamSocket, hear: @escaping @Sendable (String, JSONValue) -> Void = { _, _ in }) {
    self.socket = socket
    self.hear = hear
    let reading = Task { [weak self, socket] in
      var reader = LineReader(socket, limit: RPCLimits.reply)
      while let line = try? await reader.next(), let self, let json = try? JSONReader.value(of: line.bytes) {
        take(json, line.files)
      }
      self?.end()
    }
    state.withLock { $0.reading = reading }
  }

  deinit { close() }

  /// The user that the server runs as; nil if the system does not say.
  package var serverUser: UInt32? { socket.peer?.user }

  package func close() {
    state.withLock { $0.reading.take() }?.cancel()
    end()
  }

  package var isGone: Bool { state.withLock { $0.isGone } }

  /// Returns when the connection has ended, or the task is cancelled.
  package func waitUntilGone() async { await gone.wait() }

  /// Calls a method. Throws an `RPCError` of the server, or `Gone`. Cancelling the task cancels the call.
  package func call(_ method: String, _ params: JSONValue = [:]) async throws -> JSONValue {
    try await call(method, params: params.description)
  }

  func call(_ method: String, params: String, _ files: [PassedFile] = []) async throws -> JSONValue {
    try await reply(to: method, params: params, files).result
  }

  func reply(to method: String, params: String, _ files: [PassedFile] = []) async throws -> Reply {
    let pending = Pending<Result<Reply, any Error>>()
    let number = state.withLock { state -> Int64? in
      guard !state.isGone else { return nil }
      state.last += 1
      state.pending[state.last] = pending
      return state.last
    }
    guard let number else { throw Gone(wasSent: false) }
    defer { state.withLock { $0.pending[number] = nil } }
    let text = "{\"jsonrpc\":\"2.0\",\"id\":\(number),\"method\":\"\(method)\",\"params\":\(params)}\n"
    let line = Array(text.utf8)
    guard line.count <= RPCLimits.line else {
      throw RPCError(-32700, "line-too-long", "the call is too long")
    }
    do {
      let isWritten: Void? = try await writing.take { try await socket.write(line, files) }
      guard isWritten != nil else { throw CancellationError() }
    } catch is FileError {
      throw Gone(wasSent: true)
    }
    let outcome = await pending.outcome {
    } onCancel: { [self] in
      pending.complete(.failure(CancellationError()))
      Task { await cancel(number) }
    }
    return try outcome.get()
  }

  /// Has the server give a call up.
  private func cancel(_ number: Int64) async {
    let text = "{\"jsonrpc\":\"2.0\",\"method\":\"cancel\",\"params\":{\"id\":\(number)}}\n"
    try? await writing.take { try await socket.write(Array(text.utf8)) }
  }

  private func take(_ json: JSONValue, _ files: [PassedFile]) {
    guard let id = json["id"]?.integer else {
      if let method = json["method"]?.string { hear(method, json["params"] ?? [:]) }
      return
    }
    let pending = state.withLock { $0.pending[id] }
    if let error = json["error"] {
      pending?.complete(.failure(RPCError(error)))
    } else {
      pending?.complete(.success((json["result"] ?? .null, files)))
    }
  }

  private func end() {
    let pending = state.withLock { state in
      state.isGone = true
      defer { state.pending = [:] }
      return state.pending.values
    }
    socket.close()
    for pending in pending { pending.complete(.failure(Gone(wasSent: true))) }
    gone.open()
  }
}
