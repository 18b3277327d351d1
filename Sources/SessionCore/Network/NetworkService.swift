internal import CSessionCore

/// A server of a network: its URL and key.
public struct NetworkService: Hashable, Sendable {
  /// The name under which clients find the file server of a network.
  public static let fileServer = "file"

  /// Starts with "http://" or "https://", and ends with the host or the port.
  public let url: String
  /// The Ed25519 key, 32 bytes.
  public let key: [UInt8]

  /// Throws `keySize`, and `onionURL` for a URL that requests through the network may not use.
  public init(url: String, key: [UInt8]) throws(SessionError) {
    self.url = url
    self.key = key
    let (host, port, usesTLS) = try place
    _ = try OnionServer(host: host, port: port, usesTLS: usesTLS, key: key)
  }

  /// The server in the form used to seal requests. Throws `keyInvalid` for an unusable key.
  public var server: OnionServer {
    get throws(SessionError) {
      let (host, port, usesTLS) = try place
      return try OnionServer(host: host, port: port, usesTLS: usesTLS, ed25519Key: key)
    }
  }

  private var place: (host: String, port: UInt16?, usesTLS: Bool) {
    get throws(SessionError) {
      guard let usesTLS = url.hasPrefix("https://") ? true : url.hasPrefix("http://") ? false : nil else {
        throw SessionError(SC_ERR_ONION_URL)
      }
      let authority = url.dropFirst(usesTLS ? 8 : 7)
      let end = authority.lastIndex(of: "]") ?? authority.startIndex
      guard let colon = authority[end...].lastIndex(of: ":") else { return (String(authority), nil, usesTLS) }
      let digits = authority[authority.index(after: colon)...]
      guard let port = UInt16(digits), port > 0, String(port) == digits else {
        throw SessionError(SC_ERR_ONION_URL)
      }
      return (String(authority[..<colon]), port, usesTLS)
    }
  }
}

extension NetworkService {
  /// The name under which clients find the community server of a network.
  public static let community = "community"

  /// A server that is known by its X25519 key; the network file has the Ed25519 form of it. Throws `keyInvalid` for a
  /// key without one.
  public init(url: String, exchangeKey: [UInt8]) throws(SessionError) {
    try self.init(
      url: url, key: Core.bytes(count: SC_KEY_BYTES, of: exchangeKey) { sc_ed25519_from_x25519($0, $1) })
  }

  /// The X25519 form of the key, which requests are sealed for. Throws `keyInvalid` for an unusable key.
  public var exchangeKey: [UInt8] {
    get throws(SessionError) { try Core.exchangeKey(of: key) }
  }
}
