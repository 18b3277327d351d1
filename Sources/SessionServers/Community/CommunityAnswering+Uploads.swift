import SessionBase
import SessionCore
import SessionHTTP
import SessionService
import SessionStorage

extension CommunityAnswering {
  /// Stores a file: the content first, then the row.
  func upload(
    _ visit: CommunityVisit, _ signer: Signer, _ element: Int?
  ) async throws -> CommunityAnswer {
    let (size, shelves) = (visit.size, rules.shelves)
    guard size <= rules.options.maxFileBytes else { throw CommunityRefusal(ServerRefusal(413)) }
    // Who may not upload costs no write, and learns of that first.
    try await store.read { transaction in
      _ = try visit.checkUpload(
        of: size, in: transaction, try transaction.caller(signer.person, signer.id))
    }
    guard size > 0 else { throw CommunityRefusal.invalid("The file is empty") }
    guard shelves.reserve(size) else {
      rules.options.log(.warning, "no room for more files")
      throw CommunityRefusal.full
    }
    var isStored = false
    defer { if !isStored { shelves.release(size) } }
    let place = try shelves.freshPlace()
    let incoming = try await uploads.settle(visit.body, for: place)
    defer { incoming.discard() }
    let name = AttachmentName.parse(visit.headers["Content-Disposition"])
    let unplaced = shelves.usesRows ? try await storeUnplaced(incoming) : nil
    let number: Int64
    do {
      number = try await store.write(visit.scope) { transaction in
        let (room, caller) = try visit.checkUpload(
          of: size, in: transaction, try transaction.caller(signer.person, signer.id))
        try transaction.spend(signer.signed, signer.changes.number(element))
        let file = try transaction.addFile(
          to: room.id, by: caller.person.id, size: size, name: name, place: place, now: visit.now)
        if let unplaced {
          try transaction.giveContent(unplaced, to: file)
        } else {
          try shelves.place(incoming, as: place, of: file, in: transaction)
        }
        return file
      }
    } catch {
      if let unplaced { await removeUnplaced(unplaced) }
      throw error
    }
    isStored = true
    signer.changes.note()
    return .json(["id": .integer(number)], status: 201)
  }

  /// Stores content in rows before its file has one, so that no room is locked meanwhile. Returns its number.
  private func storeUnplaced(_ content: IncomingFile) async throws -> Int64 {
    let (number, copying) = (CommunityFile.unplaced(now: now), copying)
    do {
      let source = try await copying.run { try content.reading() }
      var count = 0
      while true {
        let piece = count
        let chunk = try await copying.run { try source.read(upTo: CommunityFile.chunkBytes) }
        guard !chunk.isEmpty else { return number }
        try await store.write(.content) { try $0.addChunk(chunk, piece, of: number) }
        count += 1
      }
    } catch {
      await removeUnplaced(number)
      throw error
    }
  }

  /// Upkeep removes later what cannot be removed now.
  private func removeUnplaced(_ number: Int64) async {
    _ = try? await store.write(.content) { try $0.removeContent(of: number) }
  }
}
