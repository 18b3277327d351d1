import FoundationEssentials
import SessionCore
import SessionHTTP
import SessionService

/// The requests of clients to a file server.
extension FileServer {
  private struct Uploaded: Encodable {
    let id: String
    let size: Int
    /// Seconds since 1970.
    let uploaded, expires: Double
  }

  private struct Known: Encodable {
    let size: Int
    /// Seconds since 1970.
    let uploaded, expires: Double
  }

  private struct OldUpload: Decodable {
    let file: String
  }

  private struct OldResult<Value: Encodable>: Encodable {
    let statusCode = 200
    let result: Value

    enum CodingKeys: String, CodingKey {
      case statusCode = "status_code"
      case result
    }
  }

  func routes() -> Routes {
    var routes = Routes()
    func on(
      _ method: HTTPMethod, _ pattern: String,
      _ body: @escaping @Sendable (FileServer, Visit) async throws -> HTTPResponse
    ) {
      routes.on(method, pattern) { [weak self] visit in
        guard let self else { throw ServerRefusal.overloaded }
        return try await body(self, visit)
      }
    }
    on(.post, "/file") { try await $0.upload($1) }
    on(.get, "/file/{id}") { try await $0.download($1) }
    on(.get, "/file/{id}/info") { try await $0.tell($1) }
    on(.post, "/file/{id}/extend") { try await $0.extend($1) }
    on(.post, "/files") { try await $0.uploadAsBefore($1) }
    on(.get, "/files/{id}") { try await $0.downloadAsBefore($1) }
    on(.get, "/session_version") { try await $0.version($1) }
    return routes
  }

  private func upload(_ visit: Visit) async throws -> HTTPResponse {
    let expires = try expiry(requested: visit)
    let file = try await keep(try await visit.body(upTo: options.maxFileBytes), expires)
    return .json(
      Uploaded(id: file.name, size: file.size, uploaded: file.uploaded.seconds, expires: file.expires.seconds)
    )
  }

  private func download(_ visit: Visit) async throws -> HTTPResponse {
    guard let (file, content) = try await store.open(try handle(in: visit), now: options.wallClock()) else {
      throw ServerRefusal.notFound
    }
    return HTTPResponse(
      200, headers: ["Content-Type": "application/octet-stream", "Expires": HTTPDate.text(file.expires)],
      body: .file(content))
  }

  private func tell(_ visit: Visit) async throws -> HTTPResponse {
    known(try await store.file(try handle(in: visit), now: options.wallClock()))
  }

  private func extend(_ visit: Visit) async throws -> HTTPResponse {
    let expires = try expiry(requested: visit)
    return known(
      try await store.extend(try handle(in: visit), expires: expires, now: options.wallClock()))
  }

  private func known(_ file: StoredFile?) -> HTTPResponse {
    guard let file else { return .refusal(.notFound) }
    return .json(Known(size: file.size, uploaded: file.uploaded.seconds, expires: file.expires.seconds))
  }

  // MARK: - As old clients ask

  private func uploadAsBefore(_ visit: Visit) async throws -> HTTPResponse {
    let body = try await visit.body(upTo: options.maxFileBytes / 3 * 4 + 64 * 1024)
    guard let upload = try? JSONDecoder().decode(OldUpload.self, from: Data(body)),
      let content = try? [UInt8](base64: upload.file.utf8)
    else { throw ServerRefusal.badRequest }
    let file = try await keep(content, try expiry(requested: visit))
    return .json(OldResult(result: try await store.number(of: file)))
  }

  private func downloadAsBefore(_ visit: Visit) async throws -> HTTPResponse {
    guard let (_, content) = try await store.open(try handle(in: visit), now: options.wallClock()),
      let bytes = await store.readAll(content)
    else { throw ServerRefusal.notFound }
    return .json(OldResult(result: bytes.base64))
  }

  // MARK: - Rules

  private func keep(_ content: [UInt8], _ expires: UInt64) async throws(ServerRefusal) -> StoredFile {
    guard !content.isEmpty, content.count <= options.maxFileBytes else { throw .tooLarge }
    do {
      return try await store.add(content, expires: expires, now: options.wallClock())
    } catch {
      switch error {
      case FileStoreFailure.full:
        options.log(.warning, "no room for more files")
        throw .full
      case ServiceFailure.overloaded: throw .overloaded
      default:
        options.log(.error, "a file could not be stored", ["reason": "\(error)"])
        throw .failed
      }
    }
  }

  private func handle(in visit: Visit) throws(ServerRefusal) -> FileHandle {
    guard let handle = visit.parameters["id"].flatMap({ FileHandle($0) }) else { throw .notFound }
    return handle
  }

  /// The expiry of a file uploaded or extended now: the default lifetime, or the client's where it may choose.
  private func expiry(requested visit: Visit) throws(ServerRefusal) -> UInt64 {
    var seconds = UInt64(clamping: options.lifetime.components.seconds)
    if let longest = options.maxLifetime, let requested = visit.request.headers["X-FS-TTL"] {
      guard let wanted = UInt64(requested), wanted > 0 else { throw .badRequest }
      seconds = min(wanted, UInt64(clamping: longest.components.seconds))
    }
    return options.wallClock() + seconds * 1000
  }
}

extension UInt64 {
  /// Milliseconds as seconds.
  fileprivate var seconds: Double { Double(self) / 1000 }
}
