public import SessionCore

/// A server that stores files for a limited time.
public struct FileServer: Hashable, Sendable {
  public let scheme: FileURL.Scheme
  public let host: String
  public let port: UInt16
  /// Its Ed25519 key, 32 bytes.
  public let key: [UInt8]
  /// Its address and key for requests.
  let door: OnionServer

  /// Throws `keySize` and `keyInvalid`, and `onionURL` for an address that requests may not go to.
  public init(
    _ scheme: FileURL.Scheme, host: String, port: UInt16? = nil, key: [UInt8]
  ) throws(SessionError) {
    self.scheme = scheme
    self.host = host
    self.port = port ?? (scheme == .http ? 80 : 443)
    self.key = key
    door = try OnionServer(host: host, port: self.port, usesTLS: scheme == .https, ed25519Key: key)
  }

  /// The server of a network file.
  public init(_ service: NetworkService) throws(SessionError) {
    let door = try service.server
    try self.init(door.usesTLS ? .https : .http, host: door.host, port: door.port, key: service.key)
  }

  /// The server of official clients, meant by URLs without a key.
  public static let official: FileServer? = try? FileServer(
    .http, host: "filev2.getsession.org", key: [UInt8](hex: officialKey.utf8))

  private static let officialKey = "b8eef9821445ae16e2e97ef8aa6fe782fd11ad5253cd6723b281341dba22e371"

  /// Returns the URL of a file on the server.
  public func url(of fileID: String, isStream: Bool) throws(SessionError) -> FileURL {
    // Without a key, other clients may assume a different server.
    try FileURL(
      scheme, host: host, port: port, fileID: fileID, isStream: isStream,
      serverKey: self == Self.official ? nil : key)
  }

  fileprivate func isAt(_ url: FileURL) -> Bool {
    host.lowercased() == url.host.lowercased() && port == url.port && scheme == url.scheme
  }
}

/// The file servers that may be used.
public struct FileServers: Hashable, Sendable {
  /// The server for the account's own files.
  public let own: FileServer
  /// The servers with known keys, including the own one.
  public let known: [FileServer]

  public init(_ own: FileServer, knowing others: [FileServer] = []) {
    self.own = own
    known = [own] + others
  }

  /// The server of a URL. Throws `rejected` for an unknown server without a key, and for a known one with another key.
  public func server(of url: FileURL) throws(NetworkFailure) -> FileServer {
    guard url.room == nil else {
      throw NetworkFailure(.rejected, "the address is that of a file in a community")
    }
    let atHost = known.filter { $0.host.lowercased() == url.host.lowercased() }
    guard let key = url.serverKey else {
      guard let server = atHost.first(where: { $0.isAt(url) }) else {
        throw NetworkFailure(.rejected, "the address has an unknown server and no key")
      }
      return server
    }
    // At a known host, only servers with a known key are accepted.
    guard atHost.isEmpty || atHost.contains(where: { $0.key == key }) else {
      throw NetworkFailure(.rejected, "the address has a known server with a different key")
    }
    do throws(SessionError) {
      return try FileServer(url.scheme, host: url.host, port: url.port, key: key)
    } catch {
      throw NetworkFailure(.rejected, "the address has an unusable server: \(error.message)")
    }
  }
}
