import SessionBase
import SessionMessaging
import Synchronization

/// A client of this program, from its first byte to the last.
package final class RPCConnection: Sendable {
  private struct State {
    var calls: [RPCRequest.ID: Task<Void, Never>] = [:]
    /// The calls that wait for something, and may take any time.
    var waiting: Set<RPCRequest.ID> = []
    /// True if no more calls begin.
    var isDraining = false
    /// Opens when a call ends.
    var change = Latch()
    /// Work for the client that no call waits for.
    var background: [Int: Task<Void, Never>] = [:]
    var lastBackground = 0
    var account: String?
    var subscriptions: [String: EventSubscription] = [:]
    /// True for a program of this project, which ends by closing its connection.
    var isOurs = false
  }

  let accounts: any ServedAccounts
  private let socket: UnixSocket
  private let methods: [String: RPCMethod]
  private let state = Mutex(State())
  /// Writes one line at a time.
  private let writing = Turns()
  private let permits = Permits(RPCLimits.calls)

  init(_ socket: UnixSocket, _ methods: [String: RPCMethod], _ accounts: any ServedAccounts) {
    self.socket = socket
    self.methods = methods
    self.accounts = accounts
  }

  /// The account that the client's `hello` named.
  var account: String? {
    get { state.withLock { $0.account } }
    set { state.withLock { $0.account = newValue } }
  }

  /// True for a program of this project: its calls end with its connection.
  var isOurs: Bool {
    get { state.withLock { $0.isOurs } }
    set { state.withLock { $0.isOurs = newValue } }
  }

  /// Serves until the client has no more calls, the connection breaks or the task is cancelled.
  func run() async {
    var reader = LineReader(socket, limit: RPCLimits.line)
    do {
      while let line = try await reader.next() {
        do throws(RPCError) { try await take(RPCLine(line)) } catch {
          try await reply(RPCReply(id: nil, .failure(error)))
          if error.kind == "not-utf8" { break }
        }
      }
      // What a client asked for before it stopped writing is still done.
      for task in state.withLock({ $0.background.values }) { task.cancel() }
      while !isOurs, let call = state.withLock({ $0.calls.values.first }) { await call.value }
    } catch is LineReader.LineTooLong {
      let error = RPCError(-32700, "line-too-long", "a line has up to \(RPCLimits.line) bytes")
      try? await reply(RPCReply(id: nil, .failure(error)))
    } catch {
      // The client is gone.
    }
    let tasks = state.withLock { Array($0.calls.values) + Array($0.background.values) }
    for task in tasks { task.cancel() }
    socket.close()
    for task in tasks { await task.value }
  }

  private func take(_ line: RPCLine) async throws(RPCError) {
    switch line {
    case .single(.success(let request)): await begin(request)
    case .single(.failure(let reply)): try? await self.reply(reply)
    case .batch(let requests): await begin(requests)
    }
  }

  /// Begins a call. Returns when there is room for the next.
  private func begin(_ request: RPCRequest) async {
    guard let id = request.id else { return notify(request) }
    guard await permits.take() else { return }
    let refusal = state.withLock { state -> RPCError? in
      guard !state.isDraining else { return RPCError(75, "stopping", "this program is about to end") }
      guard state.calls[id] == nil else {
        return RPCError(-32600, "duplicate-id", "a call with this id is still under way")
      }
      state.calls[id] = Task { [self] in
        let reply = await outcome(of: request)
        // Also a call that was cancelled is answered.
        await Task { try? await self.reply(reply) }.value
        ended(id)
      }
      return nil
    }
    guard let refusal else { return }
    permits.giveBack()
    try? await reply(RPCReply(id: id, .failure(refusal)))
  }

  private func ended(_ id: RPCRequest.ID) {
    let change = state.withLock { state in
      state.calls[id] = nil
      state.waiting.remove(id)
      defer { state.change = Latch() }
      return state.change
    }
    change.open()
    permits.giveBack()
  }

  /// Takes note that a call waits for something, and is cancelled rather than waited for.
  func noteWaiting(_ id: RPCRequest.ID) { state.withLock { _ = $0.waiting.insert(id) } }

  /// Finishes the calls under way, for a limited time, and then ends the connection.
  func drain(within patience: Duration) async {
    let waiting = state.withLock { state in
      state.isDraining = true
      return state.waiting.compactMap { state.calls[$0] }
    }
    for call in waiting { call.cancel() }
    await within(patience) { [self] in
      while !Task.isCancelled {
        let (isIdle, change) = state.withLock { ($0.calls.isEmpty, $0.change) }
        guard !isIdle else { return }
        await change.wait()
      }
    }
    socket.close()
  }

  /// A batch is answered as one, when all of its calls have ended.
  private func begin(_ requests: [Result<RPCRequest, RPCReply>]) async {
    var replies: [RPCReply] = []
    await withTaskGroup(of: RPCReply?.self) { group in
      for request in requests {
        switch request {
        case .failure(let reply): replies.append(reply)
        case .success(let request) where request.id == nil: notify(request)
        case .success(let request): group.addTask { [self] in await outcome(of: request) }
        }
      }
      for await reply in group { if let reply { replies.append(reply) } }
    }
    guard !replies.isEmpty else { return }
    try? await write("[" + replies.map(\.text).joined(separator: ",") + "]\n")
  }

  /// Carries out a notification. It has no reply that could report a failure, so all but a few are ignored.
  private func notify(_ request: RPCRequest) {
    guard request.method == "cancel", let id = request.params["id"].flatMap({ try? RPCRequest.ID($0) }) else {
      return
    }
    state.withLock { $0.calls[id] }?.cancel()
  }

  private func outcome(of request: RPCRequest) async -> RPCReply {
    do {
      guard let method = methods[request.method] else {
        var error = RPCError(-32601, "no-method", "there is no method \"\(request.method.prefix(64))\"")
        if let nearest = nearestName(to: request.method, among: methods.keys.sorted()) {
          error.details = [.init("nearest", .string(nearest))]
        }
        throw error
      }
      let call = RPCCall(id: request.id, params: request.params, files: request.files, connection: self)
      let result = try await withinTime(RPCLimits.callTime) { try await method.run(call) }
      guard let result else { throw RPCError(130, "cancelled", "the call took too long") }
      return RPCReply(id: request.id, .success(result))
    } catch let error as RPCError {
      return RPCReply(id: request.id, .failure(error))
    } catch is CancellationError {
      return RPCReply(id: request.id, .failure(RPCError(130, "cancelled", "the call was cancelled")))
    } catch {
      return RPCReply(id: request.id, .failure(RPCError(-32603, "internal", "\(error)")))
    }
  }

  /// Writes a reply. A client that takes nothing for too long loses the connection.
  private func reply(_ reply: RPCReply) async throws {
    var text = reply.text
    if text.utf8.count >= RPCLimits.reply {
      let error = RPCError(71, "limit-reached", "the result is longer than a line may be: ask for less")
      text = RPCReply(id: reply.id, .failure(error)).text
    }
    let line = text + "\n"
    let isWritten = try await withinTime(RPCLimits.patience) { [self] in try await write(line) } != nil
    if !isWritten { socket.close() }
  }

  /// The process at the other end, if the system tells.
  var peer: UnixSocket.Peer? { socket.peer }

  /// Tells the client something that it did not ask for in this moment.
  func tell(_ method: String, _ params: String) async throws {
    try await write("{\"jsonrpc\":\"2.0\",\"method\":\"\(method)\",\"params\":\(params)}\n")
  }

  /// Does something for as long as the client is there.
  func doMeanwhile(_ work: @escaping @Sendable () async -> Void) {
    state.withLock { state in
      state.lastBackground += 1
      let number = state.lastBackground
      state.background[number] = Task { [self] in
        await work()
        self.state.withLock { $0.background[number] = nil }
      }
    }
  }

  func subscription(_ id: String) -> EventSubscription? { state.withLock { $0.subscriptions[id] } }

  var subscriptionCount: Int { state.withLock { $0.subscriptions.count } }

  /// Delivers events for as long as the client is there.
  func deliver(
    _ subscription: EventSubscription, from start: MessengerEvent.Cursor, forgetting table: SubscriptionTable
  ) {
    state.withLock { $0.subscriptions[subscription.id] = subscription }
    doMeanwhile { [weak self] in
      guard let self else { return }
      await subscription.deliver(from: start, to: self)
      table.remove(subscription)
      state.withLock { $0.subscriptions[subscription.id] = nil }
    }
  }

  private func write(_ line: String) async throws {
    let bytes = Array(line.utf8)
    let isWritten: Void? = try await writing.take { try await socket.write(bytes) }
    if isWritten == nil { throw CancellationError() }
  }
}
