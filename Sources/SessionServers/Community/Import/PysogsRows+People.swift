import SessionCore
import SessionStorage

extension PysogsRows {
  /// Makes one person of all ids of an account.
  func copyPeople(_ source: borrowing ReadTransaction, _ target: borrowing WriteTransaction) throws {
    let come = try peopleWhoHaveCome(source)
    var people = ImportedPeople(server: server)
    try take(
      "users",
      "SELECT id, session_id, created, last_active, banned, moderator, admin, visible_mod FROM users ORDER BY id",
      from: source
    ) { row in
      let (number, id): (Int64, String) = (try row[0], try row[1])
      let (created, active): (Double, Double) = (try row[2], try row[3])
      let (isModerator, isAdmin): (Bool, Bool) = (try row[5], try row[6])
      people.add(
        ImportedPeople.User(
          number: number, id: id, created: try time(created), active: try time(active), isBanned: try row[4],
          role: isAdmin ? .admin : isModerator ? .moderator : .member, isVisible: try row[7],
          hasCome: come.contains(number)))
      ids[number] = id
    }
    for key in people.keys { try add(people, key, target) }
  }

  /// The rows under whose ids somebody has written or read.
  private func peopleWhoHaveCome(_ source: borrowing ReadTransaction) throws -> Set<Int64> {
    var numbers: Set<Int64> = []
    for table in ["messages", "room_users"] as [SQL] where try !source.columns(of: table).isEmpty {
      try source.forEach("SELECT DISTINCT \"user\" FROM \(table)") { (row) throws(StorageError) in
        // A file may have anything in a column.
        if let number: Int64 = try? row[0] { numbers.insert(number) }
        return true
      }
    }
    return numbers
  }

  private func add(
    _ people: ImportedPeople, _ key: [UInt8], _ target: borrowing WriteTransaction
  ) throws {
    let (person, users) = (people.person(key), people.users(of: key))
    if person.isBanned, person.role > .member, let id = person.shown ?? person.named {
      report.bannedModerators.append(id)
    }
    let number = try target.insert(
      """
      INSERT INTO person (key, shown, named, created, active, banned, role, visible)
      VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8)
      """, key, person.shown, person.named, person.created, person.active, person.isBanned, person.role,
      person.isVisible)
    for user in users { self.people[user.number] = number }
  }

  // MARK: - In rooms

  private struct Place: Hashable {
    let room, person: Int64
  }

  private struct Override {
    /// Read, access, write, upload.
    var permissions: [Bool?] = [nil, nil, nil, nil]
    var isBanned = false
    var role = CommunityRank.member
    var isVisible = false

    /// A set permission beats none, and false beats true.
    mutating func merge(_ other: Override) {
      for (index, value) in other.permissions.enumerated() {
        guard let value else { continue }
        permissions[index] = (permissions[index] ?? true) && value
      }
      isBanned = isBanned || other.isBanned
      if other.role > role { (role, isVisible) = (other.role, other.isVisible) }
    }

    var isEmpty: Bool { !isBanned && role == .member && permissions.allSatisfy { $0 == nil } }
  }

  func copyOverrides(_ source: borrowing ReadTransaction, _ target: borrowing WriteTransaction) throws {
    let columns = try source.columns(of: "user_permission_overrides")
    guard !columns.isEmpty else { return }
    let accessible: SQL = columns.contains("accessible") ? "accessible" : "NULL"
    var overrides: [Place: Override] = [:]
    var order: [Place] = []
    try take(
      "user_permission_overrides",
      """
      SELECT NULL, room, "user", "read", \(accessible), "write", upload, banned, moderator, admin, visible_mod
      FROM user_permission_overrides
      """, from: source
    ) { row in
      let (room, user): (Int64, Int64) = (try row[1], try row[2])
      let place = Place(room: try self.room(room, target), person: try self.person(user))
      var override = Override()
      override.permissions = [try row[3], try row[4], try row[5], try row[6]]
      override.isBanned = try row[7]
      let (isModerator, isAdmin): (Bool, Bool) = (try row[8], try row[9])
      override.role = isAdmin ? .admin : isModerator ? .moderator : .member
      override.isVisible = try row[10]
      guard !override.isEmpty else { throw RowLeftOut("nothing is set in it") }
      if overrides[place] == nil { order.append(place) }
      overrides[place, default: Override()].merge(override)
    }
    for place in order {
      guard let override = overrides[place] else { continue }
      if override.isBanned, override.role > .member, let id = try target.person(place.person)?.name,
        !report.bannedModerators.contains(id)
      {
        report.bannedModerators.append(id)
      }
      try target.run(
        """
        INSERT INTO override (room, person, canRead, canAccess, canWrite, canUpload, banned, role, visible)
        VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9)
        """, place.room, place.person, override.permissions[0], override.permissions[1],
        override.permissions[2],
        override.permissions[3], override.isBanned, override.role, override.isVisible)
    }
  }

  func copyVisits(_ source: borrowing ReadTransaction, _ target: borrowing WriteTransaction) throws {
    guard try !source.columns(of: "room_users").isEmpty else { return }
    try take("room_users", "SELECT NULL, room, \"user\", last_active FROM room_users", from: source) { row in
      let (place, user, last): (Int64, Int64, Double) = (try row[1], try row[2], try row[3])
      let (room, person, active) = (try self.room(place, target), try self.person(user), try time(last))
      try target.put(
        "UPDATE visit SET first = min(first, ?3), last = max(last, ?3) WHERE room = ?1 AND person = ?2",
        or: "INSERT INTO visit (room, person, first, last) VALUES (?1, ?2, ?3, ?3)", room, person, active)
    }
  }

  func copyFutures(_ source: borrowing ReadTransaction, _ target: borrowing WriteTransaction) throws {
    if try !source.columns(of: "user_ban_futures").isEmpty {
      try take(
        "user_ban_futures", "SELECT NULL, room, \"user\", at, banned FROM user_ban_futures", from: source
      ) { row in
        let (place, user, at): (Int64?, Int64, Double) = (try row[1], try row[2], try row[3])
        let isBanned: Bool = try row[4]
        if let place { _ = try self.room(place, target) }
        try target.run(
          "INSERT INTO future (room, person, at, banned) VALUES (?1, ?2, ?3, ?4)", place,
          try self.person(user), try time(at), isBanned)
      }
    }
    guard try !source.columns(of: "user_permission_futures").isEmpty else { return }
    try take(
      "user_permission_futures",
      "SELECT NULL, room, \"user\", at, \"read\", \"write\", upload FROM user_permission_futures",
      from: source
    ) { row in
      let (read, write, upload): (Bool?, Bool?, Bool?) = (try row[4], try row[5], try row[6])
      guard read != nil || write != nil || upload != nil else { throw RowLeftOut("nothing is set in it") }
      let (place, user, at): (Int64, Int64, Double) = (try row[1], try row[2], try row[3])
      try target.run(
        "INSERT INTO future (room, person, at, canRead, canWrite, canUpload) VALUES (?1, ?2, ?3, ?4, ?5, ?6)",
        try self.room(place, target), try self.person(user), try time(at), read, write, upload)
    }
  }

  func copyNonces(_ source: borrowing ReadTransaction, _ target: borrowing WriteTransaction) throws {
    guard try !source.columns(of: "user_request_nonces").isEmpty else { return }
    try take("user_request_nonces", "SELECT NULL, nonce, expiry FROM user_request_nonces", from: source) {
      row in
      let (nonce, expiry): ([UInt8], Double) = (try row[1], try row[2])
      guard nonce.count == 16 else { throw RowLeftOut("a nonce has 16 bytes") }
      try target.run(
        "INSERT INTO nonce (nonce, until) VALUES (?1, ?2)", nonce,
        try time(expiry) + Self.nonceSpan)
    }
  }

  func copyInbox(_ source: borrowing ReadTransaction, _ target: borrowing WriteTransaction) throws {
    let columns = try source.columns(of: "inbox")
    guard !columns.isEmpty else { return }
    // The id under which a letter was sealed, where that is not the one in the sender's row.
    let sealer: SQL = columns.contains("alt_id") ? "alt_id" : "NULL"
    try take(
      "inbox", "SELECT id, recipient, sender, body, posted_at, expiry, \(sealer) FROM inbox ORDER BY id",
      from: source
    ) { row in
      let (number, recipient, sender): (Int64, Int64, Int64) = (try row[0], try row[1], try row[2])
      let (body, posted, expiry): ([UInt8], Double, Double) = (try row[3], try row[4], try row[5])
      let expires = try time(expiry)
      guard expires > now else { throw RowLeftOut("it has expired") }
      guard number > 0 else { throw RowLeftOut("its number makes no sense") }
      let alternative: String? = try row[6]
      try target.run(
        """
        INSERT INTO inbox (id, recipient, recipientAs, sender, senderAs, body, posted, expires)
        VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8)
        """, number, try self.person(recipient), ids[recipient] ?? "", try self.person(sender),
        alternative ?? ids[sender] ?? "", body, try time(posted), expires)
    }
  }
}
