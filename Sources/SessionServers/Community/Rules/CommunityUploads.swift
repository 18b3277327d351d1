import SessionBase
import SessionCore
import SessionHTTP
import SessionService

/// The content of a file that has arrived, with the hash that its signature covers.
struct ReceivedContent: Sendable {
  let file: IncomingFile
  /// Bytes; not zero.
  let size: Int
  let hash: [UInt8]
}

/// Takes files as they arrive, piece by piece, and puts them on the device.
final class CommunityUploads: Sendable {
  /// Bytes of content that is arriving, of all uploads: their senders are known only in the end.
  private static let maxArriving = 512 * 1024 * 1024

  private let shelves: CommunityShelves
  private let log: ServiceLog
  private let arriving = MemoryBudget(maxArriving)
  /// Pieces are written one after the other, and do not wait for the device.
  private let receiving = WorkerQueue("session.community.receiving")
  /// Waits for the device.
  private let settling = WorkerQueue("session.community.writing")

  init(_ shelves: CommunityShelves, log: ServiceLog) { (self.shelves, self.log) = (shelves, log) }

  /// Reads a body into a file without a name. Throws 413 beyond `limit`, and 507 if the device is full.
  func receive(_ body: HTTPBody, upTo limit: Int) async throws(CommunityRefusal) -> CommunityVisit.Body {
    guard body.declaredLength ?? 0 <= limit else { throw CommunityRefusal(ServerRefusal(413)) }
    let result: Result<CommunityVisit.Body, CommunityRefusal> = await arriving.with(
      upTo: body.declaredLength ?? limit
    ) { share in
      do throws(CommunityRefusal) { return .success(try await read(body, upTo: limit, share)) } catch {
        return .failure(error)
      }
    }
    return try result.get()
  }

  private func read(
    _ body: HTTPBody, upTo limit: Int, _ share: MemoryShare
  ) async throws(CommunityRefusal) -> CommunityVisit.Body {
    var (size, hash, file): (Int, BLAKE2b, IncomingFile?) = (0, BLAKE2b(), nil)
    do throws(CommunityRefusal) {
      while let piece = try await next(of: body) {
        size += piece.count
        guard size <= limit else { throw CommunityRefusal(ServerRefusal(413)) }
        // A task is cancelled when its client has hung up, which `next` reports in the same way.
        do throws(CancellationError) { try await share.take(piece.count) } catch {
          throw CommunityRefusal(ServerRefusal(HTTPError.cancelled))
        }
        hash.add(piece)
        file = try await append(piece, to: file)
      }
    } catch {
      file?.discard()
      throw error
    }
    guard let file else { return .bytes([]) }
    return .content(ReceivedContent(file: file, size: size, hash: hash.finish()))
  }

  private func next(of body: HTTPBody) async throws(CommunityRefusal) -> [UInt8]? {
    do throws(HTTPError) { return try await body.next() } catch {
      throw CommunityRefusal(ServerRefusal(error))
    }
  }

  private func append(_ piece: [UInt8], to file: IncomingFile?) async throws(CommunityRefusal) -> IncomingFile
  {
    let result: Result<IncomingFile, any Error> = await receiving.run { [shelves] in
      Result {
        let file = try file ?? shelves.shelves.receive()
        try file.append(piece)
        return file
      }
    }
    do { return try result.get() } catch { throw refusal(error) }
  }

  /// Puts the content of an upload on the device, for `place` to give it this name. The device of rows is another.
  func settle(_ body: CommunityVisit.Body, for name: String) async throws(CommunityRefusal) -> IncomingFile {
    let result: Result<IncomingFile, any Error> = await settling.run { [shelves] in
      Result {
        if shelves.usesRows {
          if case .content(let content) = body { return content.file }
          let file = try shelves.shelves.receive()
          try file.append(body.bytes)
          return file
        }
        guard case .content(let content) = body else {
          return try shelves.shelves.receive(body.bytes, for: name)
        }
        try shelves.shelves.prepareShelf(of: name)
        try content.file.synchronize()
        return content.file
      }
    }
    do { return try result.get() } catch { throw refusal(error) }
  }

  private func refusal(_ error: any Error) -> CommunityRefusal {
    if case FileStoreFailure.full = error { return .full }
    log(.error, "a file cannot be stored", ["reason": "\(error)"])
    return CommunityRefusal(ServerRefusal(500))
  }
}
