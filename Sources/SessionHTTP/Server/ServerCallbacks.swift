internal import CHTTP
import Glibc
import SessionCore
import Synchronization

/// The callbacks of libmicrohttpd for connections and requests, always on the server's thread, and all requests in
/// progress.
final class ServerCallbacks: Sendable {
  let options: HTTPServer.Options
  let handler: HTTPServer.Handler
  let deadlines: ConnectionDeadlines
  let held: HeldBytes
  /// The hosts of those that have no limits.
  private let trusted: Set<[UInt8]>
  private let connections: PeerConnections
  private let state = Mutex(State())

  private struct State {
    var exchanges: [ObjectIdentifier: Exchange] = [:]
    var takesMore = true
    var isAbandoned = false
    var waiting: [UInt64: CheckedContinuation<Void, Never>] = [:]
    var lastWaiting: UInt64 = 0
  }

  init(_ options: HTTPServer.Options, _ handler: @escaping HTTPServer.Handler) {
    self.options = options
    self.handler = handler
    deadlines = ConnectionDeadlines(minBytesPerSecond: options.slowest, over: options.pace)
    trusted = Set(options.trustedPeers.map(\.hostBytes))
    held = HeldBytes(inAll: options.maxHeldBytes, perPeer: options.maxHeldBytesPerPeer)
    connections = PeerConnections(limit: options.maxConnectionsPerPeer)
  }

  var count: Int { state.withLock { $0.exchanges.count } }

  /// True if another request may start.
  var hasRoom: Bool { state.withLock { $0.takesMore && $0.exchanges.count <= options.maxRequests } }

  func limited(_ peer: NetworkAddress?) -> LimitedPeer { LimitedPeer(peer, trusted: trusted) }

  func takeNoMore() { state.withLock { $0.takesMore = false } }

  /// Ends all requests, and those that come.
  func abandonAll() {
    let exchanges = state.withLock { state in
      state.takesMore = false
      state.isAbandoned = true
      return Array(state.exchanges.values)
    }
    for exchange in exchanges { exchange.abandon() }
  }

  /// Returns when no request is in progress, or the task is cancelled.
  func waitUntilEmpty() async {
    let number = state.withLock { state in
      state.lastWaiting += 1
      return state.lastWaiting
    }
    await withTaskCancellationHandler {
      await withCheckedContinuation { waiting in
        let isOver = state.withLock { state in
          if state.exchanges.isEmpty || Task.isCancelled { return true }
          state.waiting[number] = waiting
          return false
        }
        if isOver { waiting.resume() }
      }
    } onCancel: {
      state.withLock { $0.waiting.removeValue(forKey: number) }?.resume()
    }
  }

  private func add(_ exchange: Exchange) {
    let isAbandoned = state.withLock { state in
      state.exchanges[ObjectIdentifier(exchange)] = exchange
      return state.isAbandoned
    }
    if isAbandoned { exchange.abandon() }
  }

  private func remove(_ exchange: Exchange) {
    let waiting = state.withLock { state -> [CheckedContinuation<Void, Never>] in
      state.exchanges[ObjectIdentifier(exchange)] = nil
      guard state.exchanges.isEmpty else { return [] }
      defer { state.waiting = [:] }
      return Array(state.waiting.values)
    }
    for waiting in waiting { waiting.resume() }
  }
}

// MARK: - What the library calls

extension ServerCallbacks {
  private static func from(_ user: UnsafeMutableRawPointer?) -> ServerCallbacks {
    guard let user else { preconditionFailure("the library lost its callbacks") }
    return Unmanaged.fromOpaque(user).takeUnretainedValue()
  }

  static let connected: MHD_NotifyConnectionCallback = { user, connection, _, event in
    guard let connection else { return }
    let callbacks = from(user)
    let descriptor = http_connection_socket(connection)
    if event == .CONNECTION_NOTIFY_STARTED {
      let peer = http_connection_peer(connection).flatMap { NetworkAddress($0) }
      // The library closes it when it finds the end.
      if !callbacks.connections.add(descriptor, of: callbacks.limited(peer)) {
        shutdown(descriptor, Int32(SHUT_RDWR))
      }
      callbacks.deadlines.expect(by: callbacks.options.requestTimeout, from: descriptor)
    } else {
      callbacks.connections.remove(descriptor)
      callbacks.deadlines.forget(descriptor)
    }
  }

  /// The first line of a request is there.
  static let begin:
    @convention(c) (
      UnsafeMutableRawPointer?, UnsafePointer<CChar>?, OpaquePointer?
    ) -> UnsafeMutableRawPointer? = { user, target, connection in
      guard let target, let connection else { return nil }
      let callbacks = from(user)
      let exchange = Exchange(String(cString: target), on: ConnectionHandle(connection), at: callbacks)
      callbacks.add(exchange)
      return Unmanaged.passRetained(exchange).toOpaque()
    }

  /// The head is there, or a piece of the body, or the end of it; or a request that waited is to go on.
  static let answer: MHD_AccessHandlerCallback = { _, _, _, method, _, piece, count, context in
    guard let method, let count, let exchange = exchange(context) else { return .NO }
    let taken: Int
    let verdict: Exchange.Verdict
    if exchange.hasHead {
      (taken, verdict) = exchange.advance(UnsafeRawBufferPointer(start: piece, count: count.pointee))
    } else {
      (taken, verdict) = (0, exchange.take(HTTPMethod(rawValue: String(cString: method))))
    }
    count.pointee -= taken
    switch verdict {
    case .goOn: return .YES
    case .hangUp: return .NO
    case .answer(let response): return exchange.connection.queue(response)
    }
  }

  static let completed: MHD_RequestCompletedCallback = { user, _, context, _ in
    guard let pointer = context?.pointee else { return }
    let callbacks = from(user)
    let exchange = Unmanaged<Exchange>.fromOpaque(pointer).takeRetainedValue()
    context?.pointee = nil
    callbacks.deadlines.expect(by: callbacks.options.requestTimeout, from: exchange.connection.descriptor)
    exchange.end()
    callbacks.remove(exchange)
  }

  private static func exchange(
    _ context: UnsafeMutablePointer<UnsafeMutableRawPointer?>?
  ) -> Exchange? {
    context?.pointee.map { Unmanaged.fromOpaque($0).takeUnretainedValue() }
  }
}
