import SessionStorage

extension Reading where Self: ~Copyable {
  /// The number of admins of the whole server.
  func globalAdminCount() throws(StorageError) -> Int {
    try value("SELECT count(*) FROM person WHERE role = 2 AND banned = 0") ?? 0
  }

  func moderatorCount(of room: Int64) throws(StorageError) -> Int {
    try value("SELECT count(*) FROM override WHERE room = ?1 AND role > 0", room) ?? 0
  }
}

extension WriteTransaction {
  /// Sets a role in a room; who gets one is not banned there. True if others are to be told.
  func setRole(
    _ role: CommunityRank, isVisible: Bool, of person: Int64, in room: Int64
  ) throws(StorageError) -> Bool {
    let old = try override(of: person, in: room)
    try ensureOverride(of: person, in: room)
    try run(
      "UPDATE override SET role = ?3, visible = ?4 WHERE room = ?1 AND person = ?2", room, person, role,
      role == .member || isVisible)
    noteRights(of: person)
    if role > .member, old?.isBanned == true {
      try setRoomBan(of: person, in: room, false)
      try unscheduleBan(of: person, in: room)
    }
    try dropEmptyOverride(of: person, in: room)
    let before = old?.role ?? .member
    return before != role || (role > .member && old?.isVisible != isVisible)
  }

  /// Sets a role for the whole server; who gets one is not banned from it. True if others are to be told.
  func setGlobalRole(
    _ role: CommunityRank, isVisible: Bool, of person: PersonRow
  ) throws(StorageError) -> Bool {
    let isVisible = role > .member && isVisible
    try run("UPDATE person SET role = ?2, visible = ?3 WHERE id = ?1", person.id, role, isVisible)
    noteRights(of: person.id)
    if role > .member, person.isBanned {
      try setServerBan(of: person.id, false)
      try unscheduleBan(of: person.id, in: nil)
    }
    return person.role != role || person.isVisible != isVisible
  }
}
