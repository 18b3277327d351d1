import SessionBase
import SessionCore
import SessionService
import SessionStorage

/// Carries out the orders of an operator, for whom no limits and no ranks hold.
struct CommunityOperator: Sendable {
  let store: CommunityStore
  let rules: CommunityRules

  var now: Int64 { Int64(clamping: rules.options.wallClock()) }

  /// Throws `ServiceFailure.request` for what cannot be done, in words.
  func carryOut(_ order: CommunityOrder) async throws -> CommunityReport {
    do {
      return try await perform(order)
    } catch let refusal as CommunityRefusal {
      throw ServiceFailure.request(refusal.text)
    }
  }

  private func perform(_ order: CommunityOrder) async throws -> CommunityReport {
    switch order {
    case .listRooms: try await store.read { .rooms(try $0.rooms().map(report)) }
    case .showRoom(let token): try await store.read { .rooms([report(try $0.existing(token))]) }
    case .addRoom(let settings): try await addRoom(settings)
    case .changeRoom(let settings): try await changeRoom(settings)
    case .setImage(let token, let content): try await setImage(content.map { Array($0) }, of: token)
    case .deleteRoom(let token): try await deleteRoom(token)
    case .listModerators(let token): try await store.read { .people(try $0.moderatorReports(of: token)) }
    case .appoint(let people, let role, let isHidden, let scope):
      try await appoint(people, role, isHidden: isHidden, scope)
    case .ban(let people, let scope, let span, let deletes):
      try await ban(people, scope, span: span, deletes: deletes)
    case .unban(let people, let scope): try await unban(people, scope)
    case .listBans(let token): try await store.read { .people(try $0.banReports(of: token)) }
    case .permit(let person, let token, let settings, let span):
      try await permit(person, in: token, settings, span: span)
    case .listMembers(let token, let span): try await listMembers(of: token, span: span)
    case .deleteMessages(let token, let numbers): try await deleteMessages(numbers, of: token)
    case .showHistory(let token, let message):
      try await store.read { .history(try $0.history(of: message, in: try $0.existing(token).id)) }
    case .showLog(let token, let since, let limit):
      try await store.read { transaction in
        let room = try token.map { try transaction.existing($0).id }
        return .log(try transaction.logged(in: room, since: since, limit: limit).map(LogReport.init))
      }
    }
  }

  // MARK: - Rooms

  private func report(_ room: RoomRow) -> RoomReport {
    RoomReport(
      token: room.token, name: room.name, description: room.description, link: rules.link(to: room.token),
      permissions: PermissionSettings.Letter.allCases.filter { room.defaults.contains($0.permission) }
        .map(\.rawValue).joined(),
      messages: Int(room.sequence), activeUsers: Int(room.activeUsers), hasImage: room.image != nil,
      slow: Int(room.slow), newcomerWrite: Int(room.newcomerWrite), newcomerUpload: Int(room.newcomerUpload),
      retention: room.retention.map { Int($0) })
  }

  private func addRoom(_ settings: RoomSettings) async throws -> CommunityReport {
    guard let name = settings.name,
      let room = NewRoom(token: settings.token, name: name, description: settings.description)
    else {
      throw ServiceFailure.request(
        "a room needs a token of 1 to 64 letters, digits, - and _, and a name of 1 to 100 characters; "
          + "\(settings.token) may be reserved")
    }
    let (limit, now) = (rules.options.maxRooms, now)
    return try await store.write { transaction in
      guard try transaction.rooms().count < limit else {
        throw ServiceFailure.request("the server has \(limit) rooms already")
      }
      guard try transaction.add(room, now: now) else {
        throw ServiceFailure.request("there is a room \(settings.token) already")
      }
      try transaction.apply(settings, to: try transaction.existing(settings.token), rules, now: now)
      try transaction.log("room added", room: try transaction.existing(settings.token).id, by: nil, now: now)
      return .rooms([report(try transaction.existing(settings.token))])
    }
  }

  private func changeRoom(_ settings: RoomSettings) async throws -> CommunityReport {
    let now = now
    return try await store.write { transaction in
      let room = try transaction.existing(settings.token)
      try transaction.apply(settings, to: room, rules, now: now)
      try transaction.touch(room: room.id)
      try transaction.log("room changed", room: room.id, by: nil, now: now)
      return .rooms([report(try transaction.existing(settings.token))])
    }
  }

  private func setImage(_ content: [UInt8]?, of token: String) async throws -> CommunityReport {
    let (now, shelves) = (now, rules.shelves)
    if let content, !CommunityShelves.isRoomImage(content, size: content.count) {
      throw CommunityRefusal.noPicture
    }
    let place = try shelves.freshPlace()
    let count = content?.count ?? 0
    guard shelves.reserve(count) else { throw CommunityRefusal.full }
    let writing = WorkerQueue("session.community.picture")
    do {
      let incoming = try await writing.run {
        try content.map { content in
          guard shelves.usesRows else { return try shelves.shelves.receive(content, for: place) }
          let file = try shelves.shelves.receive()
          try file.append(content)
          return file
        }
      }
      defer { incoming?.discard() }
      var unplaced: Int64?
      if let incoming, shelves.usesRows {
        unplaced = try await store.add(unplaced: incoming, on: writing, now: now)
      }
      do {
        return try await store.write { [unplaced] transaction in
          let room = try transaction.existing(token)
          var change = RoomChange()
          change.image = .some(nil)
          if let incoming {
            let file = try transaction.addFile(
              to: room.id, by: nil, size: count, name: nil, place: place, now: now)
            try shelves.place(incoming, unplaced, as: place, of: file, in: transaction)
            change.image = file
          }
          try transaction.change(room, change, by: nil, rules, now: now)
          try transaction.touch(room: room.id)
          try transaction.log("room changed", room: room.id, by: nil, now: now)
          return .rooms([report(try transaction.existing(token))])
        }
      } catch {
        if let unplaced { await store.remove(unplaced: unplaced) }
        throw error
      }
    } catch {
      // The content has its name already if the transaction failed after that.
      if !shelves.usesRows { await writing.run { try? shelves.shelves.remove(place) } }
      shelves.release(count)
      throw error
    }
  }

  /// Deletes the messages of a room in pieces, and then the room.
  private func deleteRoom(_ token: String) async throws -> CommunityReport {
    let now = now
    while true {
      let isOver = try await store.write { try $0.deletePiece(of: try $0.existing(token), now: now) }
      if isOver { return .done(1) }
    }
  }
}

extension LogReport {
  init(_ row: LogRow) {
    self.init(
      id: row.id, at: row.at, what: row.what, room: row.room, actor: row.actor, whom: row.whom,
      message: row.number, until: row.until)
  }
}

extension Reading where Self: ~Copyable {
  /// Throws `request` for a room that is not there.
  func existing(_ token: String) throws -> RoomRow {
    guard let room = try room(token) else { throw ServiceFailure.request("there is no room \(token)") }
    return room
  }
}

extension WriteTransaction {
  /// Rows of messages that one transaction deletes with a room.
  private static let pieceCount = 1000

  fileprivate func apply(
    _ settings: RoomSettings, to room: RoomRow, _ rules: CommunityRules, now: Int64
  ) throws {
    var change = RoomChange()
    if let name = settings.name {
      guard let name = NewRoom.name(name) else {
        throw ServiceFailure.request("a name has 1 to \(NewRoom.maxName) characters")
      }
      change.name = name
    }
    if let text = settings.description {
      guard let description = NewRoom.description(text) else {
        throw ServiceFailure.request("a description has at most \(NewRoom.maxDescription) characters")
      }
      change.description = description
    }
    if let permissions = settings.permissions {
      guard permissions.dropped.isEmpty else {
        throw ServiceFailure.request("there is nothing to drop from the permissions of everybody")
      }
      change.adds = RoomPermissions(permissions.given.map(\.permission))
      change.removes = RoomPermissions(permissions.taken.map(\.permission))
    }
    try self.change(room, change, by: nil, rules, now: now)
    if let slow = settings.slow { try run("UPDATE room SET slow = ?2 WHERE id = ?1", room.id, slow) }
    if let minutes = settings.newcomerWrite {
      try run("UPDATE room SET newcomerWrite = ?2 WHERE id = ?1", room.id, minutes)
    }
    if let minutes = settings.newcomerUpload {
      try run("UPDATE room SET newcomerUpload = ?2 WHERE id = ?1", room.id, minutes)
    }
    if let days = settings.retention {
      try run("UPDATE room SET retention = ?2 WHERE id = ?1", room.id, days == 0 ? nil : days)
    }
  }

  /// Deletes some messages of a room; with the last ones the room. True once it is gone.
  fileprivate func deletePiece(of room: RoomRow, now: Int64) throws(StorageError) -> Bool {
    try run(
      "UPDATE file SET expires = ?2 WHERE room = ?1 AND (expires IS NULL OR expires > ?2)", room.id, now)
    let messages: [Int64] = try values(
      "SELECT id FROM message WHERE room = ?1 ORDER BY id LIMIT ?2", room.id, Self.pieceCount)
    for message in messages { try run("DELETE FROM message WHERE id = ?1", message) }
    noteRoom(room.id)
    guard messages.count < Self.pieceCount else { return false }
    try run("DELETE FROM future WHERE room = ?1", room.id)
    try run("DELETE FROM file_alias WHERE room = ?1", room.id)
    try run("DELETE FROM room WHERE id = ?1", room.id)
    try log("room deleted", by: nil, now: now)
    return true
  }
}
