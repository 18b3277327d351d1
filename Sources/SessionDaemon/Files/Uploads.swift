import SessionBase
import SessionCore

/// The files that clients send in pieces, for later calls. A finished one can be used by every client that knows its name.
package actor Uploads {
  /// The most bytes of a piece.
  static let piece = 262_144
  /// The most unfinished uploads of a client, and files of all clients.
  static let unfinished = 16
  static let limit = 256
  /// The most files and unfinished uploads of one token or further socket.
  static let ownLimit = 32
  /// How long a file is kept after its last use, and an unfinished upload after its last piece.
  static let lifetime = Duration.seconds(3600)

  /// The client that an unfinished upload belongs to.
  typealias Owner = ObjectIdentifier

  private struct Upload {
    let content: UploadedContent
    let name: String
    let expected: Int?
    let owner: Owner
    let payer: String?
    var usedAt: ContinuousClock.Instant
  }

  private struct Finished {
    let content: UploadedContent
    let name: String
    let payer: String?
    var usedAt: ContinuousClock.Instant
  }

  private let folder: String
  /// The most bytes of a file.
  let maxSize: Int
  private let now: @Sendable () -> ContinuousClock.Instant
  private var uploads: [String: Upload] = [:]
  private var finished: [String: Finished] = [:]
  /// Deletes files whose time is over.
  private var expiring: Task<Void, Never>?

  package init(
    in folder: String, maxSize: Int,
    now: @escaping @Sendable () -> ContinuousClock.Instant = { .now }
  ) {
    self.folder = folder
    self.maxSize = maxSize
    self.now = now
  }

  deinit { expiring?.cancel() }

  /// Deletes what a daemon left that was killed. Only for the holder of the daemon's lock.
  package nonisolated func removeLeftovers() { UploadedContent.removeLeftovers(in: folder) }

  // MARK: - Sending

  /// Begins an upload. Returns its name. `payer` is the token or further socket whose limit it counts for.
  func begin(_ name: String, size: Int?, of owner: Owner, countedFor payer: String?) throws -> String {
    dropExpired()
    let own = uploads.values.count { $0.owner == owner }
    guard own < Self.unfinished else {
      throw RPCError.limit("a connection has up to \(Self.unfinished) unfinished uploads", Self.unfinished)
    }
    if let payer {
      let count = uploads.values.count { $0.payer == payer } + finished.values.count { $0.payer == payer }
      guard count < Self.ownLimit else {
        throw RPCError.limit(
          "\"\(payer)\" has \(Self.ownLimit) uploaded files: drop some, or wait", Self.ownLimit)
      }
    }
    guard uploads.count + finished.count < Self.limit else {
      throw RPCError.limit("there are \(Self.limit) uploaded files: drop some, or wait", Self.limit)
    }
    guard size ?? 0 <= maxSize else { throw tooLong }
    let id = "u" + (try Self.name())
    uploads[id] = Upload(
      content: try UploadedContent(in: folder), name: name, expected: size, owner: owner, payer: payer,
      usedAt: now())
    expireLater()
    return id
  }

  /// Adds the bytes that begin at a place.
  func add(_ bytes: [UInt8], at place: Int, to id: String, of owner: Owner) async throws {
    let upload = try upload(id, owner)
    uploads[id]?.usedAt = now()
    guard bytes.count <= Self.piece else {
      throw RPCError.invalidParams("a piece has up to \(Self.piece) bytes")
    }
    // Neither number is above a limit, so that their sum is none.
    guard place <= maxSize, place + bytes.count <= upload.expected ?? maxSize else { throw tooLong }
    do { try await upload.content.append(bytes, at: place) } catch let error as RPCError {
      throw error
    } catch {
      // What was written of the piece is unknown.
      uploads[id] = nil
      throw error
    }
  }

  /// Completes an upload. Throws `data`, and drops it, if its size or hash is not as the client says.
  func end(
    _ id: String, hash: [UInt8]?, of owner: Owner
  ) async throws -> (file: String, size: Int) {
    let upload = try upload(id, owner)
    uploads[id] = nil
    let size = await upload.content.size
    guard size == upload.expected ?? size else {
      throw RPCError(65, "data", "the upload has \(size) bytes; file.begin announced \(upload.expected ?? 0)")
    }
    try await upload.content.finish()
    if let hash, try await Core.hash(of: upload.content.bytes()) != hash {
      throw RPCError(65, "data", "the content does not match \"blake2b\"")
    }
    let file = "f" + (try Self.name())
    finished[file] = Finished(
      content: upload.content, name: upload.name, payer: upload.payer, usedAt: now())
    expireLater()
    return (file, size)
  }

  private func upload(_ id: String, _ owner: Owner) throws(RPCError) -> Upload {
    guard let upload = uploads[id], upload.owner == owner else {
      throw .invalidParams("no such upload on this connection")
    }
    return upload
  }

  private var tooLong: RPCError {
    var error = RPCError(65, "too-long", "the file exceeds \(maxSize) bytes or the announced size")
    error.details = [.init("limit", .integer(Int64(maxSize)))]
    return error
  }

  private static func name() throws(SessionError) -> String {
    try SecretBytes.random(count: 16).reveal().hex
  }

  // MARK: - Using

  /// A finished file.
  package func file(_ id: String) async throws -> (name: String, bytes: [UInt8]) {
    dropExpired()
    guard let file = finished[id] else {
      throw RPCError(66, "no-file", "there is no uploaded file \(id.prefix(40))")
    }
    finished[id]?.usedAt = now()
    return (file.name, try await file.content.bytes())
  }

  /// Deletes an upload of a client, or a finished file.
  func drop(_ id: String, of owner: Owner) {
    if uploads[id]?.owner == owner { uploads[id] = nil }
    finished[id] = nil
  }

  /// Deletes the unfinished uploads of a client that is gone.
  func dropAll(of owner: Owner) { uploads = uploads.filter { $0.value.owner != owner } }

  /// True while there is a file that a client may still use or complete.
  package var isHoldingFiles: Bool {
    dropExpired()
    return !uploads.isEmpty || !finished.isEmpty
  }

  private func dropExpired() {
    let limit = now() - Self.lifetime
    finished = finished.filter { $0.value.usedAt > limit }
    uploads = uploads.filter { $0.value.usedAt > limit }
  }

  private func expireLater() {
    guard expiring == nil else { return }
    expiring = Task { [weak self] in
      while let rest = await self?.untilExpiry() { try? await Task.sleep(for: rest) }
    }
  }

  /// The time until a file may expire; nil if there is none.
  private func untilExpiry() -> Duration? {
    dropExpired()
    guard let first = (finished.values.map(\.usedAt) + uploads.values.map(\.usedAt)).min() else {
      expiring = nil
      return nil
    }
    return max(.seconds(1), first + Self.lifetime - now())
  }
}

extension RPCError {
  fileprivate static func limit(_ message: String, _ limit: Int) -> RPCError {
    var error = RPCError(71, "limit-reached", message)
    error.details = [.init("limit", .integer(Int64(limit)))]
    return error
  }
}
