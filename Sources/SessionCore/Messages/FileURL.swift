internal import CSessionCore

/// The address of an uploaded file: on a file server, or in the room of a community.
public struct FileURL: Hashable, Sendable, LosslessStringConvertible, CoreValue {
  public enum Scheme: String, Sendable, CaseIterable {
    case http, https

    var defaultPort: UInt16 { self == .http ? 80 : 443 }
  }

  public let scheme: Scheme
  /// An IPv6 address keeps its brackets.
  public let host: String
  public let port: UInt16
  /// The room, for a file of a community.
  public let room: String?
  public let fileID: String
  /// True if the file is encrypted as a stream.
  public let isStream: Bool
  /// The server's Ed25519 key, 32 bytes, unless it is the default one.
  public let serverKey: [UInt8]?

  public init(
    _ scheme: Scheme, host: String, port: UInt16? = nil, room: String? = nil, fileID: String,
    isStream: Bool = false, serverKey: [UInt8]? = nil
  ) throws(SessionError) {
    self.scheme = scheme
    self.host = host
    self.port = port ?? scheme.defaultPort
    self.room = room
    self.fileID = fileID
    self.isStream = isStream
    self.serverKey = serverKey
    try MessageRule.fileURL.require(serverKey.map { $0.count == Int(SC_KEY_BYTES) } ?? true && room != "")
    _ = try text()
  }

  public init?(_ description: String) {
    guard let url = try? FileURL(parsing: description) else { return nil }
    self = url
  }

  public init(parsing text: String) throws(SessionError) {
    self = try text.utf8.lend { (text) throws(SessionError) in
      var url = sc_file_url()
      guard sc_file_url_parse(&url, text) == SC_OK else { throw SessionError(.fileURL) }
      return FileURL(url)
    }
  }

  public var description: String {
    guard let text = try? text() else { preconditionFailure("an address has a text") }
    return text
  }

  private func text() throws(SessionError) -> String {
    do {
      return try withCore { (url) throws(SessionError) in
        String(decoding: try Core.bytes { sc_file_url_write($0, url) }, as: UTF8.self)
      }
    } catch SessionError.Code.fileURL {
      throw SessionError(.fileURL)
    }
  }

  init(_ url: sc_file_url) {
    scheme = url.is_https ? .https : .http
    host = url.host.text ?? ""
    port = url.port
    room = url.room.text
    fileID = url.file_id.text ?? ""
    isStream = url.is_stream
    serverKey = url.has_server_key ? array(url.server_key) : nil
  }

  func core(in arena: CoreArena) -> sc_file_url {
    var url = sc_file_url()
    url.is_https = scheme == .https
    url.host = arena.text(host)
    url.port = port
    url.room = arena.text(room)
    url.file_id = arena.text(fileID)
    url.is_stream = isStream
    url.has_server_key = serverKey != nil
    fill(&url.server_key, with: serverKey ?? [])
    return url
  }
}
