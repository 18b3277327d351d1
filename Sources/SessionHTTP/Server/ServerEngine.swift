internal import CHTTP
import Glibc
import SessionCore
import Synchronization

/// libmicrohttpd's server, between its start and its stop.
final class ServerEngine: Sendable {
  /// The allowed TLS versions and ciphers.
  private static let priorities = "SECURE128:-VERS-ALL:+VERS-TLS1.3:+VERS-TLS1.2:%SERVER_PRECEDENCE"

  let callbacks: ServerCallbacks
  private let state: Mutex<State>
  private let watch: Task<Void, Never>

  // Sendable without the compiler's check: the library's calls for a whole server may come from any thread.
  private struct State: @unchecked Sendable {
    var daemon: OpaquePointer?
    /// The listening socket, after it stopped accepting.
    var quietSocket: Int32?
    /// Texts that it refers to as long as it runs.
    var texts: [UnsafeMutableBufferPointer<CChar>]
  }

  init(
    _ socket: consuming ListeningSocket, _ options: HTTPServer.Options,
    _ handler: @escaping HTTPServer.Handler
  ) throws(HTTPError) {
    guard http_load_server() else { throw .cannotListen("libmicrohttpd is missing") }
    let callbacks = ServerCallbacks(options, handler)
    let texts = Self.texts(options.tls)
    var setup = http_server_setup()
    setup.user = Unmanaged.passRetained(callbacks).toOpaque()
    setup.begin = ServerCallbacks.begin
    setup.answer = ServerCallbacks.answer
    setup.completed = ServerCallbacks.completed
    setup.connected = ServerCallbacks.connected
    setup.idle_seconds = UInt32(clamping: max(options.idleTimeout.components.seconds, 1))
    setup.max_connections = UInt32(clamping: options.maxConnections)
    // With exceptions the library's own limit, which knows none, is off.
    setup.max_connections_per_peer =
      options.trustedPeers.isEmpty ? UInt32(clamping: options.maxConnectionsPerPeer) : 0
    setup.max_head_bytes = options.maxHead
    if texts.count == 3 {
      setup.certificate = UnsafePointer(texts[0].baseAddress)
      setup.key = UnsafePointer(texts[1].baseAddress)
      setup.priorities = UnsafePointer(texts[2].baseAddress)
    }
    let descriptor = socket.take()
    setup.socket = descriptor
    guard let daemon = http_server_start(&setup) else {
      close(descriptor)
      Self.free(texts)
      Unmanaged.passUnretained(callbacks).release()
      throw options.tls == nil ? .cannotListen("the server cannot start") : .certificate
    }
    self.callbacks = callbacks
    state = Mutex(State(daemon: daemon, texts: texts))
    watch = Task {
      let interval = min(options.requestTimeout, options.answerTimeout, options.pace, .seconds(4)) / 4
      while (try? await Task.sleep(for: interval)) != nil { callbacks.deadlines.closeOverdue() }
    }
  }

  /// Accepts no more connections, and replies with 503 on existing ones.
  func takeNoMore() {
    callbacks.takeNoMore()
    state.withLock { state in
      guard state.quietSocket == nil, let daemon = state.daemon else { return }
      state.quietSocket = MHD_quiesce_daemon(daemon)
    }
  }

  /// Ends everything, and waits for the server's thread.
  func stop() {
    watch.cancel()
    let ended = state.withLock { state in
      defer { (state.daemon, state.texts, state.quietSocket) = (nil, [], nil) }
      return state
    }
    guard let daemon = ended.daemon else { return }
    callbacks.abandonAll()
    MHD_stop_daemon(daemon)
    if let socket = ended.quietSocket, socket >= 0 { close(socket) }
    Self.free(ended.texts)
    Unmanaged.passUnretained(callbacks).release()
  }

  private static func texts(_ tls: TLSIdentity?) -> [UnsafeMutableBufferPointer<CChar>] {
    guard let tls else { return [] }
    return [
      tls.certificate.withUnsafeBufferPointer(text), tls.withKey { $0.withUnsafeBufferPointer(text) },
      Array(priorities.utf8).withUnsafeBufferPointer(text),
    ]
  }

  private static func text(_ bytes: UnsafeBufferPointer<UInt8>) -> UnsafeMutableBufferPointer<CChar> {
    let text = UnsafeMutableBufferPointer<CChar>.allocate(capacity: bytes.count + 1)
    text.initialize(repeating: 0)
    for (index, byte) in bytes.enumerated() { text[index] = CChar(bitPattern: byte) }
    return text
  }

  /// Wipes the texts, because one of them is a key.
  private static func free(_ texts: [UnsafeMutableBufferPointer<CChar>]) {
    for text in texts {
      if let start = text.baseAddress { explicit_bzero(start, text.count) }
      text.deallocate()
    }
  }
}
