import Synchronization

/// One request and its answer, between the server's thread, which moves it on, and the task of its handler.
///
/// While there is nothing to move on with, the connection is suspended: the handler has not asked for the body, or has
/// not taken the pieces that came, or has not answered. The event that ends this state resumes the connection, and the
/// library calls again.
final class Exchange: Sendable {
  /// The next action of the library.
  enum Verdict {
    case goOn
    case answer(HTTPResponse)
    case hangUp
  }

  /// Bytes of a body that wait for the handler; a body of at most this size is complete before the handler starts.
  private static let window = 64 * 1024
  /// Responses up to this size are not counted.
  private static let shortAnswer = 4096

  private enum Stage {
    /// The handler may respond without the body, if the client waits for that.
    case head
    case body
    case whole
    case answered
    case over
  }

  private typealias Piece = Result<[UInt8]?, HTTPError>
  private typealias Reader = CheckedContinuation<Piece, Never>

  private struct State {
    var stage = Stage.head
    var hasHead = false
    /// The handler's request; nil if it was refused before.
    var request: HTTPRequest?
    /// The client, as far as its bytes are counted.
    var peer = LimitedPeer(nil)
    /// Bytes held for the request and its response.
    var held = 0
    var isSuspended = false
    var isAbandoned = false
    /// True if the handler wants the body.
    var isWanted = false
    var isShort = false
    /// True if the client sends the body only when needed, or has more than is read.
    var canSkipBody = false
    var received = 0
    var pieces: [UInt8] = []
    /// Why nothing more comes.
    var failure: HTTPError?
    var reader: Reader?
    /// The reader to resume, and its piece, after the lock is released.
    var woken: (reader: Reader, piece: Piece)?
    var response: HTTPResponse?
    var task: Task<Void, Never>?
  }

  let connection: ConnectionHandle
  private let target: String
  private let callbacks: ServerCallbacks
  private let state = Mutex(State())

  init(_ target: String, on connection: ConnectionHandle, at callbacks: ServerCallbacks) {
    self.target = target
    self.connection = connection
    self.callbacks = callbacks
  }

  var hasHead: Bool { state.withLock(\.hasHead) }

  /// Changes the state under its lock. Readers are resumed after unlocking: resuming one waits for a cancellation of its
  /// task, whose handler takes the lock.
  private func change<R: Sendable>(_ body: (inout State) -> R) -> R {
    let (result, woken) = state.withLock { state in
      let result = body(&state)
      return (result, state.woken.take())
    }
    if let woken { woken.reader.resume(returning: woken.piece) }
    return result
  }

  /// Takes the head.
  func take(_ method: HTTPMethod) -> Verdict {
    let headers = connection.headers
    let length = headers["Content-Length"].flatMap { Int($0) }
    let hasBody = length ?? 0 > 0 || headers["Transfer-Encoding"] != nil
    let body = HTTPBody(declaredLength: hasBody ? length : 0) { [weak self] in
      await self?.read() ?? .failure(.peerGone)
    } hold: { [weak self] in
      self?.hold($0) ?? true
    }
    let peer = connection.peer
    let parsed = HTTPTarget(parsing: target)
    let refusal = refusal(of: parsed, length)
    return change { state in
      state.hasHead = true
      state.peer = callbacks.limited(peer)
      state.response = refusal
      state.request = parsed.flatMap { parsed in
        refusal == nil
          ? HTTPRequest(method, parsed, headers: headers, body: body, peer: peer) : nil
      }
      state.isShort = !hasBody || length ?? .max <= Self.window
      state.canSkipBody = headers["Expect"] != nil || length ?? 0 > 2 * callbacks.options.maxBody
      if !state.isShort { start(&state) }
      return advance(&state, UnsafeRawBufferPointer(start: nil, count: 0)).1
    }
  }

  /// The response to a request that no handler sees.
  private func refusal(of target: HTTPTarget?, _ length: Int?) -> HTTPResponse? {
    if target == nil { return .refusal(400, "Bad Request") }
    if length ?? 0 > callbacks.options.maxBody { return .refusal(413, "Content Too Large") }
    return callbacks.hasRoom ? nil : .refusal(503, "Service Unavailable")
  }

  /// Continues with a piece of the body, or nil at its end.
  func advance(_ piece: UnsafeRawBufferPointer) -> (taken: Int, Verdict) {
    change { advance(&$0, piece) }
  }

  private func advance(_ state: inout State, _ piece: UnsafeRawBufferPointer) -> (taken: Int, Verdict) {
    if state.isAbandoned { return (0, .hangUp) }
    switch state.stage {
    case .head:
      if state.canSkipBody, let verdict = answer(&state) { return (0, verdict) }
      if state.isShort || state.isWanted || state.response != nil {
        state.stage = .body
        callbacks.deadlines.requireFlow(connection.descriptor, .received)
      } else {
        suspend(&state)
      }
      return (0, .goOn)
    case .body where !piece.isEmpty:
      return take(piece, &state)
    case .body, .whole:
      state.stage = .whole
      start(&state)
      if state.failure == nil, state.pieces.isEmpty { wake(&state, .success(nil)) }
      if let verdict = answer(&state) { return (0, verdict) }
      suspend(&state)
      return (0, .goOn)
    case .answered, .over:
      return (0, .hangUp)
    }
  }

  private func take(_ piece: UnsafeRawBufferPointer, _ state: inout State) -> (taken: Int, Verdict) {
    let received = state.received + piece.count
    if state.failure == nil, received > callbacks.options.maxBody {
      state.failure = .tooLarge
      wake(&state, .failure(.tooLarge))
    }
    if state.failure != nil || state.response != nil {
      // Discard some unread body, so that the peer gets to read the reply.
      state.received = received
      return (piece.count, received > 2 * callbacks.options.maxBody ? .hangUp : .goOn)
    }
    if !state.isShort, state.reader == nil, state.pieces.count >= Self.window {
      suspend(&state)
      return (0, .goOn)
    }
    state.received = received
    state.pieces += piece
    if state.reader != nil {
      wake(&state, .success(state.pieces))
      state.pieces = []
    }
    return (piece.count, .goOn)
  }

  /// The response, if it is ready.
  private func answer(_ state: inout State) -> Verdict? {
    guard let response = state.response.take() else { return nil }
    state.stage = .answered
    callbacks.deadlines.expect(by: callbacks.options.answerTimeout, from: connection.descriptor)
    callbacks.deadlines.requireFlow(connection.descriptor, .acknowledged)
    guard case .bytes(let bytes) = response.body, bytes.count > Self.shortAnswer,
      !hold(bytes.count, &state)
    else { return .answer(response) }
    return .answer(.refusal(503, "Service Unavailable"))
  }

  /// Counts bytes that are held until the exchange ends; false if there is no room for them. After the end, reading
  /// fails.
  private func hold(_ count: Int) -> Bool { state.withLock { hold(count, &$0) } }

  private func hold(_ count: Int, _ state: inout State) -> Bool {
    guard state.stage != .over else { return true }
    guard callbacks.held.take(count, for: state.peer) else { return false }
    state.held += count
    return true
  }

  private func start(_ state: inout State) {
    guard state.task == nil, let request = state.request else { return }
    state.task = Task { [weak self, handler = callbacks.handler] in
      let response = await handler(request)
      self?.answer(with: response)
    }
  }

  private func suspend(_ state: inout State) {
    state.isSuspended = true
    // A body that is awaited may be late; a handler may not be hurried.
    if state.stage == .whole {
      callbacks.deadlines.clear(connection.descriptor)
    } else {
      callbacks.deadlines.allowPause(connection.descriptor)
    }
    connection.suspend()
  }

  private func resume(_ state: inout State) {
    guard state.isSuspended else { return }
    state.isSuspended = false
    if state.stage == .body { callbacks.deadlines.requireFlow(connection.descriptor, .received) }
    connection.resume()
  }

  private func wake(_ state: inout State, _ piece: Piece) {
    if let reader = state.reader.take() { state.woken = (reader, piece) }
  }
}

// MARK: - The handler's side

extension Exchange {
  private func answer(with response: HTTPResponse) {
    state.withLock { state in
      guard state.stage != .over else { return }
      state.response = response
      resume(&state)
    }
  }

  /// The next piece of the body.
  private func read() async -> Piece {
    await withTaskCancellationHandler {
      await withCheckedContinuation { reader in
        let piece = state.withLock { state -> Piece? in
          if let piece = next(&state) { return piece }
          state.reader = reader
          state.isWanted = true
          resume(&state)
          return nil
        }
        if let piece { reader.resume(returning: piece) }
      }
    } onCancel: {
      change { state in wake(&state, .failure(.cancelled)) }
    }
  }

  /// The next piece, if there is one without waiting.
  private func next(_ state: inout State) -> Piece? {
    if Task.isCancelled { return .failure(state.failure ?? .cancelled) }
    if !state.pieces.isEmpty, state.failure == nil {
      defer { state.pieces = [] }
      if state.stage == .body { resume(&state) }
      return .success(state.pieces)
    }
    if let failure = state.failure { return .failure(failure) }
    precondition(state.reader == nil, "a body with two readers")
    return state.stage == .whole || state.stage == .answered ? .success(nil) : nil
  }
}

// MARK: - The end

extension Exchange {
  /// The reply was sent, or its client is gone. Called on the server's thread; the connection is unused afterwards.
  func end() { finish(.peerGone, .over) }

  /// Wakes all waiters, because the server stops.
  func abandon() { finish(.stopped, nil) }

  private func finish(_ failure: HTTPError, _ stage: Stage?) {
    let task = change { state in
      if let stage {
        state.stage = stage
        callbacks.held.give(state.held, for: state.peer)
        state.held = 0
      } else {
        state.isAbandoned = true
      }
      state.failure = state.failure ?? failure
      state.pieces = []
      wake(&state, .failure(failure))
      if stage == nil { resume(&state) }
      state.isSuspended = false
      return state.task
    }
    task?.cancel()
  }
}
