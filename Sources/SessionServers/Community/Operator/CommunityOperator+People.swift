import SessionCore
import SessionService
import SessionStorage

extension CommunityOperator {
  /// The rows of people; those who have never come are made.
  private func people(
    _ ids: [String], in transaction: borrowing WriteTransaction
  ) throws -> [PersonRow] {
    try ids.map { text in
      guard let (id, key) = try? rules.persons.named(text) else {
        throw ServiceFailure.request("\(text) is no id of a person")
      }
      return try transaction.named(key, as: id.description, now: now)
    }
  }

  private func rooms(_ scope: OperatorScope, in transaction: borrowing WriteTransaction) throws -> [RoomRow] {
    switch scope {
    case .server: []
    case .allRooms: try transaction.rooms()
    case .rooms(let tokens): try tokens.map { try transaction.existing($0) }
    }
  }

  func appoint(
    _ ids: [String], _ role: OperatorRole, isHidden: Bool, _ scope: OperatorScope
  ) async throws -> CommunityReport {
    try await store.write { transaction in
      let people = try people(ids, in: transaction)
      for person in people {
        if scope == .server {
          if try transaction.setGlobalRole(role.rank, isVisible: !isHidden, of: person) {
            try transaction.touchAllRooms()
          }
          try transaction.log("role \(role.rank)", by: nil, to: person.id, now: now)
        }
        for room in try rooms(scope, in: transaction) {
          if try transaction.setRole(role.rank, isVisible: !isHidden, of: person.id, in: room.id) {
            try transaction.touch(room: room.id)
          }
          try transaction.log("role \(role.rank)", room: room.id, by: nil, to: person.id, now: now)
        }
      }
      return .done(people.count)
    }
  }

  func ban(
    _ ids: [String], _ scope: OperatorScope, span: Int64?, deletes: Bool
  ) async throws -> CommunityReport {
    let report = try await setBan(ids, scope, true, until: span.map { now + $0 })
    if deletes { try await deleteAll(of: ids, scope) }
    return report
  }

  func unban(_ ids: [String], _ scope: OperatorScope) async throws -> CommunityReport {
    try await setBan(ids, scope, false, until: nil)
  }

  private func setBan(
    _ ids: [String], _ scope: OperatorScope, _ bans: Bool, until: Int64?
  ) async throws -> CommunityReport {
    try await store.write { transaction in
      let people = try people(ids, in: transaction)
      for person in people {
        if scope == .server {
          try transaction.setServerBan(of: person.id, bans)
          try transaction.unscheduleBan(of: person.id, in: nil)
          if let until { try transaction.schedule(of: person.id, in: nil, at: until, banned: false) }
          try transaction.log(bans ? "ban" : "unban", by: nil, to: person.id, until: until, now: now)
        }
        for room in try rooms(scope, in: transaction) {
          // Who is banned from a room moderates it no more.
          if bans, try transaction.setRole(.member, isVisible: true, of: person.id, in: room.id) {
            try transaction.touch(room: room.id)
          }
          try transaction.setRoomBan(of: person.id, in: room.id, bans)
          if bans { rules.visits.forget(person.id, in: room.id) }
          try transaction.unscheduleBan(of: person.id, in: room.id)
          if let until { try transaction.schedule(of: person.id, in: room.id, at: until, banned: false) }
          try transaction.log(
            bans ? "ban" : "unban", room: room.id, by: nil, to: person.id, until: until, now: now)
        }
      }
      return .done(people.count)
    }
  }

  /// Deletes all messages of people, as many in a transaction as fit.
  private func deleteAll(of ids: [String], _ scope: OperatorScope) async throws {
    while true {
      let goesOn = try await store.write { try deletePiece(of: ids, scope, in: $0) }
      guard goesOn else { return }
    }
  }

  /// True if there is more to be deleted, in another transaction.
  private func deletePiece(
    of ids: [String], _ scope: OperatorScope, in transaction: borrowing WriteTransaction
  ) throws -> Bool {
    var sum = AuthorDeletion()
    let everywhere = scope == .server ? OperatorScope.allRooms : scope
    for person in try people(ids, in: transaction) {
      for room in try rooms(everywhere, in: transaction) {
        let left = WriteTransaction.deletionCount - sum.messages - sum.others
        sum += try transaction.deleteAll(
          of: person.id, in: room, by: 0, historyKept: rules.options.historyDays > 0, limit: max(left, 0),
          now: now)
      }
    }
    return sum.goesOn
  }

  func permit(
    _ id: String, in token: String, _ settings: PermissionSettings, span: Int64?
  ) async throws -> CommunityReport {
    try await store.write { transaction in
      let room = try transaction.existing(token)
      guard let person = try people([id], in: transaction).first else { return .done(0) }
      let before = try transaction.override(of: person.id, in: room.id)
      var change = PermissionChange()
      for letter in settings.given { change.values[letter.permission] = .some(true) }
      for letter in settings.taken { change.values[letter.permission] = .some(false) }
      for letter in settings.dropped { change.values[letter.permission] = .some(nil) }
      try transaction.change(change, of: person.id, in: room.id, unschedules: true)
      if let span {
        guard !change.values.keys.contains(.accessible) else {
          throw ServiceFailure.request("'a' cannot be changed for a time")
        }
        // The way back: what held before, or what holds for everybody, which is then nothing special.
        func old(_ permission: RoomPermissions, _ value: Bool??) -> Bool? {
          change.values[permission] == nil ? nil : (value ?? nil) ?? room.defaults.contains(permission)
        }
        try transaction.schedule(
          of: person.id, in: room.id, at: now + span, read: old(.read, before?.canRead),
          write: old(.write, before?.canWrite), upload: old(.upload, before?.canUpload))
      }
      try transaction.log(
        "permissions", room: room.id, by: nil, to: person.id, until: span.map { now + $0 }, now: now)
      var report = PersonReport(id: person.name, room: room.token)
      report.permissions = try transaction.override(of: person.id, in: room.id)?.letters ?? ""
      return .people([report])
    }
  }

  func listMembers(of token: String, span: Int64?) async throws -> CommunityReport {
    let since = span.map { now - $0 } ?? 0
    return try await store.read { transaction in
      let room = try transaction.existing(token)
      return .people(
        try transaction.members(of: room.id, since: since, limit: 100_000).map { member in
          var report = PersonReport(id: member.id, room: room.token)
          (report.lastActive, report.created) = (member.last, member.created)
          return report
        })
    }
  }

  func deleteMessages(_ numbers: [Int64], of token: String) async throws -> CommunityReport {
    try await store.write { transaction in
      let room = try transaction.existing(token)
      var count = 0
      for number in numbers {
        guard let message = try transaction.message(number, of: room.id) else { continue }
        if rules.options.historyDays > 0 { try transaction.keepHistory(of: message, by: 0, now: now) }
        try transaction.delete(message, of: room.id, now: now)
        try transaction.noteDeletion(of: message, in: room, by: nil, now: now)
        count += 1
      }
      guard count > 0 else { throw ServiceFailure.request("there is no such message in \(room.token)") }
      return .done(count)
    }
  }
}

extension OperatorRole {
  fileprivate var rank: CommunityRank {
    switch self {
    case .member: .member
    case .moderator: .moderator
    case .admin: .admin
    }
  }

  fileprivate init(_ rank: CommunityRank) {
    switch rank {
    case .member: self = .member
    case .moderator: self = .moderator
    case .admin: self = .admin
    }
  }
}

extension OverrideRow {
  /// What is special, as `+w-u`.
  fileprivate var letters: String {
    let values: [(PermissionSettings.Letter, Bool?)] = [
      (.read, canRead), (.write, canWrite), (.upload, canUpload), (.accessible, canAccess),
    ]
    return values.compactMap { letter, value in value.map { ($0 ? "+" : "-") + letter.rawValue } }.joined()
  }
}

extension Reading where Self: ~Copyable {
  fileprivate func roleReport(
    _ row: borrowing Row, room: String?
  ) throws(StorageError) -> PersonReport {
    var report = PersonReport(id: try row[0], room: room)
    let (rank, isVisible): (CommunityRank, Bool) = (try row[1], try row[2])
    (report.role, report.isHidden) = (OperatorRole(rank), !isVisible)
    return report
  }

  /// The people with a role: for the whole server first, then room by room.
  func moderatorReports(of token: String?) throws -> [PersonReport] {
    var reports = try map(
      "SELECT coalesce(shown, named), role, visible FROM person WHERE role > 0 ORDER BY id"
    ) { (row) throws(StorageError) in try roleReport(row, room: nil) }
    for room in try token.map({ [try existing($0)] }) ?? rooms() {
      reports += try map(
        """
        SELECT coalesce(p.shown, p.named), o.role, o.visible FROM override o JOIN person p ON p.id = o.person
        WHERE o.room = ?1 AND o.role > 0 ORDER BY p.id
        """, room.id
      ) { (row) throws(StorageError) in try roleReport(row, room: room.token) }
    }
    return reports
  }

  func banReports(of token: String?) throws -> [PersonReport] {
    let room = try token.map { try existing($0) }
    return try bans(in: room?.id).map { ban in
      var report = PersonReport(id: ban.id, room: room?.token)
      (report.isBanned, report.until) = (true, ban.until)
      return report
    }
  }

  /// The former texts of a message, the oldest one first.
  func history(of message: Int64, in room: Int64) throws(StorageError) -> [HistoryReport] {
    try map(
      """
      SELECT h.at, (SELECT coalesce(shown, named) FROM person WHERE person.id = h.actor), h.data
      FROM history h JOIN message m ON m.id = h.message WHERE h.message = ?1 AND m.room = ?2 ORDER BY h.at
      """, message, room
    ) { (row) throws(StorageError) in
      HistoryReport(at: try row[0], actor: try row[1], data: try row[2])
    }
  }
}
