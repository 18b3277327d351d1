public import SessionCore

/// Uploads files to file servers and downloads them. All requests go through the network: no server learns the
/// client's address.
///
/// A file is sent in one piece, because each hop encrypts what it relays as a whole; it is in memory during that
/// time. Before and after, it is encrypted and decrypted piece by piece.
public struct FileClient: Sendable {
  /// The size limit of an encrypted file, in bytes.
  public static let maxBytes = 10_000_000
  /// The payload limit of a path: larger files cannot be uploaded.
  public static let maxCarried = ServerRequest.maxBody
  /// The allowance for downloaded files beyond the upload limit, in bytes.
  static let slack = 1024
  /// No server may send more bytes of a file.
  public static let maxReceived = maxBytes + slack
  /// The default lifetime of a file.
  public static let lifetime = Duration.seconds(14 * 24 * 3600)

  private let service: any ServerService
  public let servers: FileServers

  public init(through service: any ServerService, _ servers: FileServers) {
    self.service = service
    self.servers = servers
  }

  /// The client of a network's file server; nil if it has none.
  public init?(of file: NetworkFile, through service: any ServerService) throws(SessionError) {
    guard let server = file.services[NetworkService.fileServer] else { return nil }
    self.init(through: service, FileServers(try FileServer(server)))
  }
}

/// A file that a server keeps.
public struct KeptFile: Hashable, Sendable {
  /// The id on the server. Files with an id of this length can be extended.
  public let id: String
  /// The URL for others.
  public let url: FileURL
  /// When the server deletes it.
  public let expiresAt: MessageTime
}

/// The server's information about a file.
public struct FileInfo: Hashable, Sendable {
  /// The encrypted size in bytes; nil if the server does not report it.
  public let size: Int?
  public let expiresAt: MessageTime
}

extension FileURL {
  /// True if the server derived the id from the content: then the lifetime can be extended.
  public var isExtensible: Bool { fileID.utf8.count == Self.digestLength }

  private static let digestLength = 44
}

extension FileClient {
  /// Uploads a sealed file to our own server.
  public func upload(
    _ sealed: [UInt8], isStream: Bool, at now: MessageTime
  ) async throws(NetworkFailure) -> KeptFile {
    guard sealed.count <= Self.maxBytes else {
      throw NetworkFailure(
        .tooLarge, "the file has \(sealed.count) bytes; the limit is \(Self.maxBytes)")
    }
    let request = ServerRequest(
      .post, "/file",
      headers: [
        ServerResponse.Header("Content-Type", "application/octet-stream"),
        // A file name would reveal what the content hides.
        ServerResponse.Header("Content-Disposition", "attachment"),
      ], body: sealed)
    let response = try await call(servers.own, request, for: .seconds(60))
    let receipt = try FileReceipt(uploadedAs: response.body)
    do throws(SessionError) {
      return KeptFile(
        id: receipt.id, url: try servers.own.url(of: receipt.id, isStream: isStream),
        expiresAt: receipt.dates.expiry(after: now))
    } catch {
      throw NetworkFailure(.transient, "the server returned an invalid name for the file")
    }
  }

  /// Downloads a file, encrypted as stored.
  public func download(
    _ url: FileURL, upTo limit: Int = maxBytes
  ) async throws(NetworkFailure) -> [UInt8] {
    let response = try await call(url, .get, for: .seconds(30))
    guard response.body.count <= min(limit + Self.slack, Self.maxReceived) else {
      throw NetworkFailure(.tooLarge, "the file is larger than the limit")
    }
    if let length = response[header: "content-length"].flatMap({ Int($0) }), length != response.body.count {
      throw NetworkFailure(.transient, "the server sent a different part of the file than announced")
    }
    return response.body
  }

  /// Returns the server's information about a file.
  public func info(of url: FileURL, at now: MessageTime) async throws(NetworkFailure) -> FileInfo {
    let response = try await call(url, .get, "/info", for: .seconds(10))
    return try FileReceipt.Dates(in: response.body).info(at: now)
  }

  /// Extends a file's lifetime to that of a new one.
  public func extend(_ url: FileURL, at now: MessageTime) async throws(NetworkFailure) -> FileInfo {
    guard url.isExtensible else {
      throw NetworkFailure(.rejected, "only files named by their content can be extended")
    }
    let response = try await call(url, .post, "/extend", for: .seconds(10))
    return try FileReceipt.Dates(in: response.body).info(at: now)
  }

  private func call(
    _ url: FileURL, _ method: ServerRequest.Method, _ action: String = "", for timeout: Duration
  ) async throws(NetworkFailure) -> ServerResponse {
    let server = try servers.server(of: url)
    let request = ServerRequest(method, "/file/\(url.fileID)\(action)", body: method == .post ? [] : nil)
    return try await call(server, request, for: timeout)
  }

  /// The time limit of a request, including waiting and building paths.
  private static let overall = Duration.seconds(300)

  private func call(
    _ server: FileServer, _ request: ServerRequest, for timeout: Duration
  ) async throws(NetworkFailure) -> ServerResponse {
    let response = try await answer(server, request, for: timeout)
    guard response.isSuccess else { throw NetworkFailure(fileServerAnswered: response.status) }
    return response
  }

  /// The reply of our own server; nil if it has no such thing: 404, or 502 where its operator wrote nothing.
  func found(_ request: ServerRequest, for timeout: Duration) async throws(NetworkFailure) -> ServerResponse?
  {
    let response = try await answer(servers.own, request, for: timeout)
    if response.status == 404 || response.status == 502 { return nil }
    guard response.isSuccess else { throw NetworkFailure(fileServerAnswered: response.status) }
    return response
  }

  private func answer(
    _ server: FileServer, _ request: ServerRequest, for timeout: Duration
  ) async throws(NetworkFailure) -> ServerResponse {
    try await service.send(
      request, to: server.door,
      Network.Delivery(category: .file, isAlone: true, timeout: timeout, overall: Self.overall))
  }
}

extension NetworkFailure {
  /// The failure for a status of a file server.
  init(fileServerAnswered status: Int) {
    let (kind, words): (Kind, String) =
      switch status {
      case 401, 403: (.unauthorized, "refuses access")
      case 404: (.gone, "does not have the file")
      case 406, 425: (.clock, "rejected the time of this machine")
      case 413: (.tooLarge, "rejected the file as too large")
      // Only we retry it, after a backoff.
      case 429, 503: (.busy, "is overloaded")
      case 507: (.transient, "is full")
      case 408, 500...: (.transient, "failed")
      default: (.rejected, "refuses the request")
      }
    self.init(kind, "the file server \(words) (\(status))")
  }
}
