import Glibc
import SessionBase
import SessionMessaging
import Synchronization

/// A client of this program, from its first byte to the last.
package final class RPCConnection: Sendable {
  private struct State {
    var calls: [RPCRequest.ID: Task<Void, Never>] = [:]
    /// The calls that wait for something, and may take any time.
    var waiting: Set<RPCRequest.ID> = []
    /// The number of batches and notifications under way.
    var unnamed = 0
    /// What is done when the client is gone.
    var endings: [String: @Sendable () async -> Void] = [:]
    /// True if no more calls begin.
    var isDraining = false
    /// True if the connection has ended.
    var isOver = false
    /// The bytes of replies that wait for the client.
    var waitingBytes = 0
    /// Opens when a call ends, or a reply is written.
    var change = Latch()
    /// Work for the client that no call waits for.
    var background: [Int: Task<Void, Never>] = [:]
    var lastBackground = 0
    var account: String?
    var subscriptions: [String: EventSubscription] = [:]
    /// True for a program of this project, which ends by closing its connection.
    var isOurs = false

    /// The number of calls that have ended, and whose replies are being written.
    var replies = 0

    var isIdle: Bool { calls.isEmpty && unnamed == 0 && replies == 0 }
  }

  let access: RPCAccess
  /// False for the connection of a single request of HTTP.
  let isLasting: Bool
  /// The accounts that the client may use.
  let accounts: any ServedAccounts
  /// The files that the client reads in parts.
  let readers = ContentReaders()
  private let socket: StreamSocket
  private let methods: [String: RPCMethod]
  private let state = Mutex(State())
  private let statistics: CallStatistics
  /// Writes one line at a time.
  private let writing = Turns()
  private let permits = Permits(RPCLimits.calls)

  init(
    _ socket: StreamSocket, _ methods: [String: RPCMethod], _ accounts: any ServedAccounts,
    _ access: RPCAccess, isLasting: Bool = true, statistics: CallStatistics = CallStatistics()
  ) {
    self.isLasting = isLasting
    self.statistics = statistics
    self.socket = socket
    self.methods = methods
    self.access = access
    self.accounts = access.permitted(accounts)
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

  /// True if descriptors can be passed to the client: one within this program only relays lines.
  var canPassFiles: Bool { peer.map { $0.process != getpid() } ?? false }

  /// The process at the other end, if the system tells.
  var peer: StreamSocket.Peer? { socket.peer }

  /// Serves until the client has no more calls, the connection breaks or the task is cancelled.
  func run() async {
    var reader = LineReader(socket, limit: RPCLimits.line)
    do {
      while let line = try await reader.next() {
        do throws(RPCError) { try await take(RPCLine(line)) } catch {
          try await reply(RPCReply(id: nil, .failure(error)))
          if error.kind == "not-utf8" { break }
        }
        // A client that takes no replies makes no more calls.
        await wait { $0.waitingBytes <= RPCLimits.reply }
      }
      // Finish what a client called before it stopped writing.
      for task in state.withLock({ $0.background.values }) { task.cancel() }
      if !isOurs { await wait(until: \.isIdle) }
    } catch is LineReader.LineTooLong {
      let error = RPCError(-32700, "line-too-long", "a line has up to \(RPCLimits.line) bytes")
      try? await reply(RPCReply(id: nil, .failure(error)))
    } catch {
      // The client is gone.
    }
    let tasks = state.withLock { state in
      state.isOver = true
      return Array(state.calls.values) + Array(state.background.values)
    }
    for task in tasks { task.cancel() }
    socket.close()
    for task in tasks { await task.value }
    while let task = state.withLock({ $0.background.values.first }) { await task.value }
    let endings = state.withLock { Array($0.endings.values) }
    await Task { for end in endings { await end() } }.value
  }

  /// Does something when the client is gone, instead of what was to be done under this name.
  func whenOver(_ name: String, _ work: @escaping @Sendable () async -> Void) {
    state.withLock { state in
      guard state.endings.count < Self.maxEndings || state.endings[name] != nil else { return }
      state.endings[name] = work
    }
  }

  /// The most things that are done when a client is gone.
  private static let maxEndings = 1000

  private func change<R>(_ body: (inout State) -> R) -> R {
    let (result, before) = state.withLock { state in
      defer { state.change = Latch() }
      return (body(&state), state.change)
    }
    before.open()
    return result
  }

  /// Returns when a condition holds, or the task is cancelled.
  private func wait(until holds: (State) -> Bool) async {
    while !Task.isCancelled {
      let (isDone, change) = state.withLock { (holds($0), $0.change) }
      guard !isDone else { return }
      await change.wait()
    }
  }

  // MARK: - Calls

  private func take(_ line: RPCLine) async throws(RPCError) {
    switch line {
    case .single(.success(let request)): await begin(request)
    case .single(.failure(let reply)): try? await self.reply(reply)
    case .batch(let requests): await begin(requests)
    }
  }

  /// Begins a call. Returns when there is room for the next.
  private func begin(_ request: RPCRequest) async {
    guard let id = request.id else { return await notify(request) }
    guard await permits.take() else { return }
    let refusal = state.withLock { state -> RPCError? in
      guard !state.isDraining else { return RPCError.stopping }
      guard state.calls[id] == nil else {
        return RPCError(-32600, "duplicate-id", "a call with this id is still under way")
      }
      state.calls[id] = Task { [self] in
        let reply = await outcome(of: request, id)
        // A client that has the reply may use the id again.
        self.state.withLock { state in
          state.calls[id] = nil
          state.waiting.remove(id)
          state.replies += 1
        }
        // A cancelled call is answered, too.
        await Task { try? await self.reply(reply) }.value
        change { $0.replies -= 1 }
        permits.giveBack()
      }
      return nil
    }
    guard let refusal else { return }
    permits.giveBack()
    try? await reply(RPCReply(id: id, .failure(refusal)))
  }

  /// A batch is answered as one, when all of its calls have ended.
  private func begin(_ requests: [Result<RPCRequest, RPCReply>]) async {
    let isDraining = state.withLock { state in
      state.unnamed += 1
      return state.isDraining
    }
    defer { change { $0.unnamed -= 1 } }
    var replies: [RPCReply] = []
    await withTaskGroup(of: RPCReply?.self) { group in
      for request in requests {
        switch request {
        case .failure(let reply): replies.append(reply)
        case .success(let request) where request.id == nil: await notify(request)
        case .success(let request) where isDraining:
          replies.append(RPCReply(id: request.id, .failure(.stopping)))
        case .success(let request):
          group.addTask { [self] in
            guard await permits.take() else { return nil }
            defer { permits.giveBack() }
            return await outcome(of: request, nil)
          }
        }
      }
      for await reply in group { if let reply { replies.append(reply) } }
    }
    guard !replies.isEmpty else { return }
    var rest = RPCLimits.reply
    let texts = replies.map { reply in
      let text = reply.text
      rest -= text.utf8.count + 1
      return rest > 0 ? text : RPCReply(id: reply.id, .failure(.tooLong)).text
    }
    try? await write(reply: "[" + texts.joined(separator: ",") + "]")
  }

  /// Carries out a notification. It has no reply that could report a failure, so all but a few are ignored.
  private func notify(_ request: RPCRequest) async {
    switch request.method {
    case "cancel":
      guard let id = request.params["id"].flatMap({ try? RPCRequest.ID($0) }) else { return }
      state.withLock { $0.calls[id] }?.cancel()
    case "typing", "events.ack":
      guard await permits.take() else { return }
      state.withLock { $0.unnamed += 1 }
      Task { [self] in
        _ = await outcome(of: request, nil)
        permits.giveBack()
        change { $0.unnamed -= 1 }
      }
    default: statistics.noteIgnored()
    }
  }

  private func outcome(of request: RPCRequest, _ id: RPCRequest.ID?) async -> RPCReply {
    // Methods open the files by paths, which exist no longer than the files.
    defer { withExtendedLifetime(request.files) {} }
    do {
      guard let method = methods[request.method] else {
        var error = RPCError(-32601, "no-method", "there is no method \"\(request.method.prefix(64))\"")
        if let nearest = nearestName(to: request.method, among: methods.keys.sorted()) {
          error.details = [.init("nearest", .string(nearest))]
        }
        throw error
      }
      try access.admit(method)
      if let known = method.parameters { _ = try MethodArguments(request.params, known: known) }
      let begun = ContinuousClock.now
      let call = RPCCall(
        id: id, params: request.params, files: request.files, connection: self, work: statistics.begin())
      defer { call.work.end() }
      let outcome: Result<String, any Error>
      do { outcome = .success(try await result(of: method, call)) } catch { outcome = .failure(error) }
      statistics.note(method.name, isError: (try? outcome.get()) == nil, took: .now - begun)
      return RPCReply(id: request.id, .success(try outcome.get()), files: call.passedBack.all)
    } catch let error as RPCError {
      return RPCReply(id: request.id, .failure(error))
    } catch is CancellationError {
      return RPCReply(id: request.id, .failure(RPCError(130, "cancelled", "the call was cancelled")))
    } catch {
      return RPCReply(id: request.id, .failure(RPCError(-32603, "internal", "\(error)")))
    }
  }

  private func result(of method: RPCMethod, _ call: RPCCall) async throws -> String {
    // The calls of our programs end with their connection.
    guard !isOurs else { return try await method.run(call) }
    let result = try await withinTime(RPCLimits.callTime) { try await method.run(call) }
    guard let result else { throw RPCError(130, "cancelled", "the call took too long") }
    return result
  }

  /// Records that a call waits for something, so that draining cancels it.
  func noteWaiting(_ id: RPCRequest.ID) { state.withLock { _ = $0.waiting.insert(id) } }

  /// Finishes the calls under way, for a limited time, and then ends the connection.
  func drain(within timeout: Duration, _ reason: EndReason = .stopping) async {
    let waiting = state.withLock { state in
      state.isDraining = true
      return state.waiting.compactMap { state.calls[$0] }
    }
    for call in waiting { call.cancel() }
    await within(timeout) { [self] in
      try? await tell("bye", "{\"reason\":\"\(reason.rawValue)\",\"reconnect_ms\":\(reason.reconnection)}")
      await wait(until: \.isIdle)
    }
    for call in state.withLock({ Array($0.calls.values) }) { call.cancel() }
    socket.close()
  }

  // MARK: - Writing

  private func reply(_ reply: RPCReply) async throws {
    let text = reply.text
    guard text.utf8.count < RPCLimits.reply else {
      return try await write(reply: RPCReply(id: reply.id, .failure(.tooLong)).text)
    }
    try await write(reply: text, reply.files)
  }

  /// Writes replies. A client that does not take them for too long loses the connection.
  private func write(reply text: String, _ files: [PassedFile] = []) async throws {
    let count = text.utf8.count
    state.withLock { $0.waitingBytes += count }
    defer { change { $0.waitingBytes -= count } }
    let isWritten =
      try await withinTime(RPCLimits.writeTimeout) { [self] in try await write(text + "\n", files) } != nil
    if !isWritten { socket.close() }
  }

  /// Sends a notification.
  func tell(_ method: String, _ params: String) async throws {
    try await write("{\"jsonrpc\":\"2.0\",\"method\":\"\(method)\",\"params\":\(params)}\n")
  }

  private func write(_ line: String, _ files: [PassedFile] = []) async throws {
    let bytes = Array(line.utf8)
    let isWritten: Void? = try await writing.take { try await socket.write(bytes, files) }
    if isWritten == nil { throw CancellationError() }
  }

  // MARK: - Work beside calls

  /// Does something for as long as the client is there.
  func doMeanwhile(_ work: @escaping @Sendable () async -> Void) {
    let late = state.withLock { state -> Task<Void, Never>? in
      state.lastBackground += 1
      let number = state.lastBackground
      let task = Task { [self] in
        await work()
        self.state.withLock { $0.background[number] = nil }
      }
      state.background[number] = task
      return state.isOver ? task : nil
    }
    late?.cancel()
  }

  /// The number of things that are done beside calls.
  var backgroundCount: Int { state.withLock { $0.background.count } }

  func subscription(_ id: String) -> EventSubscription? { state.withLock { $0.subscriptions[id] } }

  /// Adds a subscription to those of the client. False if it has so many already.
  func add(_ subscription: EventSubscription, upTo limit: Int) -> Bool {
    state.withLock { state in
      guard state.subscriptions.count < limit else { return false }
      state.subscriptions[subscription.id] = subscription
      return true
    }
  }

  func remove(_ subscription: EventSubscription) {
    state.withLock { $0.subscriptions[subscription.id] = nil }
  }

  /// Delivers the events of a subscription that was added, for as long as the client is there.
  func deliver(_ subscription: EventSubscription, from starts: [(account: String, start: EventStart)]) {
    doMeanwhile { [weak self] in
      guard let self else { return }
      await subscription.run(from: starts, accounts)
      remove(subscription)
    }
  }
}

extension RPCError {
  fileprivate static let stopping = RPCError(75, "stopping", "this program is about to end")
  fileprivate static let tooLong = RPCError(
    71, "limit-reached", "the result is longer than a line may be: ask for less")
}
