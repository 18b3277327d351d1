internal import CSessionCore

/// A server that is reached through the network.
public struct OnionServer: Hashable, Sendable {
  /// A name, an IPv4 address, or an IPv6 address in brackets.
  public let host: String
  /// Nil for the default port.
  public let port: UInt16?
  public let usesTLS: Bool
  /// The path for requests that come through the network.
  public let target: String
  /// Its X25519 key, 32 bytes.
  public let key: [UInt8]

  /// Throws `keySize`, and `onionURL` for an address that such requests may not use.
  public init(
    host: String, port: UInt16? = nil, usesTLS: Bool = true, target: String = "/oxen/v4/lsrpc", key: [UInt8]
  ) throws(SessionError) {
    guard key.count == Int(SC_KEY_BYTES) else { throw SessionError(SC_ERR_KEY_SIZE) }
    self.host = host
    self.port = port
    self.usesTLS = usesTLS
    self.target = target
    self.key = key
    try CoreArena.lend { (loan) throws(SessionError) in
      var url = core(in: loan).url
      try Core.call { sc_onion_url_check(&url) }
    }
  }

  /// Creates a server from its Ed25519 key. Also throws `keySize` and `keyInvalid`.
  public init(
    host: String, port: UInt16? = nil, usesTLS: Bool = true, target: String = "/oxen/v4/lsrpc",
    ed25519Key: [UInt8]
  ) throws(SessionError) {
    let key = try Core.exchangeKey(of: ed25519Key)
    try self.init(host: host, port: port, usesTLS: usesTLS, target: target, key: key)
  }

  func core(in loan: CoreArena) -> sc_onion_server {
    var server = sc_onion_server()
    server.url = sc_onion_url(
      host: loan.text(host), target: loan.text(target), is_http: !usesTLS, port: port ?? 0)
    fill(&server.x25519, with: key)
    return server
  }
}
