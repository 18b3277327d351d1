import SessionBase
import SessionHTTP
import SessionStorage

extension RouteTable<CommunityRoute> {
  /// Files of rooms.
  mutating func addFiles() {
    on(.post, "/room/{room}/file", .upload)
    read("/room/{room}/file/{number}") { visit in try visit.download() }
    read("/room/{room}/file/{number}/{name}") { visit in try visit.download() }
  }
}

extension CommunityVisit {
  private static let day: Int64 = 86_400_000

  fileprivate func download() throws -> CommunityRoute.Reads {
    let number = try number("number")
    return { transaction, caller in
      // Those who are banned from a visible room get 403, as for all of its content.
      let (room, rights) = try room(in: transaction, caller, needs: caller == nil ? .visible : .member)
      guard let file = try transaction.file(number, of: room.id, now: now) else {
        throw CommunityRefusal.notFound
      }
      if file.id != room.image {
        guard rights.has(.read) else { throw CommunityRefusal.forbidden("Permission denied") }
        guard try isShown(file, of: room, transaction, caller, rights) else {
          throw CommunityRefusal.notFound
        }
      }
      var answer = CommunityAnswer(200, file.isInRows ? .rows(file) : .file(rules.shelves.path(of: file)))
      answer.headers["Content-Disposition"] = AttachmentName.header(file.name)
      answer.headers["Date"] = HTTPDate.text(UInt64(clamping: file.uploaded))
      if let expires = file.expires { answer.headers["Expires"] = HTTPDate.text(UInt64(clamping: expires)) }
      answer.headers["X-Content-Type-Options"] = "nosniff"
      answer.headers["Content-Security-Policy"] = "sandbox"
      return answer
    }
  }

  /// A file is for those who see its message; one that waits for a message is for its uploader alone.
  private func isShown(
    _ file: CommunityFile, of room: RoomRow, _ transaction: borrowing ReadTransaction,
    _ caller: CommunityCaller?, _ rights: RoomRights
  ) throws(StorageError) -> Bool {
    guard let message = file.message else {
      return file.isOfUnknownMessage || (caller != nil && file.uploader == caller?.person.id)
    }
    return try transaction.message(message, of: room.id, for: MessageReader(caller, rights)) != nil
  }

  // MARK: - Uploads

  /// Throws unless the caller may upload so many bytes now.
  func checkUpload(
    of size: Int, in transaction: borrowing ReadTransaction, _ caller: CommunityCaller?
  ) throws -> (RoomRow, CommunityCaller) {
    try allowedUpload(of: size, in: transaction, caller)
  }

  /// The same, and counts the upload unless the transaction fails.
  func checkUpload(
    of size: Int, in transaction: borrowing WriteTransaction, _ caller: CommunityCaller?
  ) throws -> (RoomRow, CommunityCaller) {
    let allowed = try allowedUpload(of: size, in: transaction, caller)
    let (uploads, person, time) = (rules.paces.uploads, allowed.1.person.id, now)
    uploads.add(size, of: person, now: time)
    transaction.onRollback { uploads.remove(size, of: person, now: time) }
    return allowed
  }

  private func allowedUpload<Transaction: Reading & ~Copyable>(
    of size: Int, in transaction: borrowing Transaction, _ caller: CommunityCaller?
  ) throws -> (RoomRow, CommunityCaller) {
    let (room, _) = try room(in: transaction, caller, needs: .upload)
    guard let caller else { throw CommunityRefusal.unsigned }
    let (limits, since) = (rules.options.uploads, now - Self.day)
    let isNewcomer = caller.person.created > since
    // Rows go with deleted messages, and what is in memory with a restart.
    let stored = try transaction.uploads(of: caller.person.id, since: since)
    let recent = rules.paces.uploads.count(of: caller.person.id, now: now)
    let (files, bytes) =
      isNewcomer ? (limits.newcomerFiles, limits.newcomerBytes) : (limits.files, limits.bytes)
    guard max(stored.files, recent.items) < files, max(stored.bytes, recent.bytes) + size <= bytes else {
      throw Self.tooManyFiles
    }
    if isNewcomer {
      let all = try transaction.uploads(ofPeopleSince: since)
      guard all + size <= rules.options.maxFileStore / 10 else { throw Self.tooManyFiles }
    }
    if let most = rules.options.maxRoomFiles, try transaction.fileBytes(of: room.id) + size > most {
      throw CommunityRefusal.full
    }
    return (room, caller)
  }

  private static let tooManyFiles = CommunityRefusal(429, "Too many files in a day", retryAfter: 3600)
}
