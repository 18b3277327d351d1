public import SessionCore

/// A community server, and how requests reach it.
public struct CommunityServer: Hashable, Sendable {
  /// The URL in normal form: scheme, host, and the port unless it is the default.
  public let url: String
  /// Its X25519 key, 32 bytes.
  public let key: [UInt8]
  /// Its address and key for requests.
  let door: OnionServer

  /// Throws `keySize`, `keyInvalid` for a key of zeros, and `onionURL` for an address that requests may not go to.
  public init(_ url: String, key: [UInt8]) throws(SessionError) {
    guard let (usesTLS, host, port) = Self.parts(of: url) else {
      throw SessionError(.onionURL, "\(url) is not the URL of a server")
    }
    guard key.contains(where: { $0 != 0 }) else {
      throw SessionError(.keyInvalid, "the key of the server is nothing but zeros")
    }
    self.url = url
    self.key = key
    door = try OnionServer(host: host, port: port, usesTLS: usesTLS, key: key)
  }

  public init(_ link: CommunityLink) throws(SessionError) {
    try self.init(link.server, key: link.serverKey)
  }

  /// The name under which clients find the community server of a network.
  public static let role = "community"

  /// The server of a network file.
  public init(_ service: NetworkService) throws(SessionError) {
    try self.init(service.url, key: service.server.key)
  }

  /// The server whose rooms official clients offer.
  public static let official: CommunityServer? = try? CommunityServer(
    "https://open.getsession.org", key: [UInt8](hex: officialKey.utf8))

  private static let officialKey = "a03c383cf63c3c4efe67acc52112a6dd734b3a946b9545f488aaa93da7991238"

  private static func parts(of url: String) -> (usesTLS: Bool, host: String, port: UInt16?)? {
    for (prefix, usesTLS) in [("https://", true), ("http://", false)] where url.hasPrefix(prefix) {
      let pieces = url.dropFirst(prefix.count).split(separator: ":", omittingEmptySubsequences: false)
      guard let host = pieces.first, pieces.count <= 2 else { return nil }
      guard pieces.count == 2 else { return (usesTLS, String(host), nil) }
      return UInt16(pieces[1]).map { (usesTLS, String(host), $0) }
    }
    return nil
  }
}
