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
    let unplaced = shelves.usesRows ? try await store.add(unplaced: incoming, on: copying, now: now) : nil
    let number: Int64
    do {
      number = try await store.write(visit.scope) { transaction in
        let (room, caller) = try visit.checkUpload(
          of: size, in: transaction, try transaction.caller(signer.person, signer.id))
        try transaction.spend(signer.signed, signer.changes.number(element))
        let file = try transaction.addFile(
          to: room.id, by: caller.person.id, size: size, name: name, place: place, now: visit.now)
        try shelves.place(incoming, unplaced, as: place, of: file, in: transaction)
        return file
      }
    } catch {
      if let unplaced { await store.remove(unplaced: unplaced) }
      throw error
    }
    isStored = true
    signer.changes.note()
    return .json(["id": .integer(number)], status: 201)
  }
}
