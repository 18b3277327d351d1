import SessionCore
import SessionStorage
import Synchronization

extension ConfigAuthor {
  /// How often the remnants of one contact or group are erased while the program runs. If another client keeps restoring
  /// them, we stop.
  static let mostErasures = 3

  /// Repeats what a merge lost because two devices edited at once. If that fails, or the program ends first, the next
  /// call checks all configs and not only the changed ones. Runs on the worker queue's own thread.
  func settle(after changes: [ConfigChange]) throws {
    let isOwed = owesSettling.withLock { isOwed in
      defer { isOwed = true }
      return isOwed
    }
    if isOwed || changes.contains(where: \.removesRoom) { try showRooms() }
    try tellFartherReading(than: isOwed ? nil : changes)
    try eraseRemnants(among: isOwed ? nil : changes)
    owesSettling.withLock { $0 = false }
  }

  /// Shows the rooms of the configs that have no row, because an earlier version of this program merged them, which knew no
  /// rooms, and those that gave way to the same room under https until that was left. Runs on the worker queue's own thread.
  func showRooms() throws {
    let rooms = try configs.read { configs in
      try configs.groups.communities().map { room in
        (room: room, mark: try configs.conversations[.community(room.id)])
      }
    }
    let missing = try database.read { transaction in
      try rooms.filter {
        try transaction.thread(at: Conversation.ID.room($0.room.id).address) == nil
          || transaction.isWronglyHidden($0.room)
      }
    }
    guard !missing.isEmpty else { return }
    let now = try time()
    try database.write { transaction in
      var projection = ConfigProjection(context: context, now: now)
      try projection.apply(
        missing.map { .community($0.room.id, $0.room) }
          + missing.map { .readMark(.community($0.room.id), $0.mark) }, in: transaction)
      try request(projection.followUps, in: transaction, at: now)
    }
    tell(.memberships)
  }

  /// A read position only moves forward. If two devices read at once, the configs keep only one position, which may
  /// be the earlier one.
  private func tellFartherReading(than changes: [ConfigChange]?) throws {
    let read = try database.read { transaction in
      guard let changes else { return try transaction.readConversations() }
      return try changes.compactMap { change -> (place: ReadMark.Place, at: Int64)? in
        guard case .readMark(let place, _?) = change, let conversation = place.conversation,
          let thread = try transaction.thread(at: conversation.address)
        else { return nil }
        return (place, thread.lastReadAt)
      }
    }
    let farther = try configs.read { configs in
      try read.filter { read in
        guard let told = try configs.conversations[read.place] else { return false }
        return read.at > told.lastReadMilliseconds
      }
    }
    guard !farther.isEmpty else { return }
    try editNow { configs, now in
      for (place, time) in farther {
        try configs.updateReadMark(place, at: now) { $0.lastReadMilliseconds = time }
      }
    } writing: { _, _, _ in
    }
  }

  /// Erases the remnants of contacts and groups that one device deleted while another edited them.
  private func eraseRemnants(among changes: [ConfigChange]?) throws {
    let (contacts, groups) = try configs.read { configs in
      guard let changes else { return (try configs.contacts.all(), try configs.groups.groups()) }
      return (
        try changes.compactMap { change in
          if case .contact(let id, _?) = change { try configs.contacts[id] } else { nil }
        },
        try changes.compactMap { change in
          if case .group(let id, _?) = change { try configs.groups[id] } else { nil }
        }
      )
    }
    let leftGroups =
      try groups.isEmpty
      ? []
      : database.read { transaction in
        try groups.filter { try transaction.isRemnant($0, $0.id) }.map(\.id)
      }
    let remnants = contacts.filter(\.isRemnant).map(\.id) + leftGroups
    let meant = remnants.filter { id in
      erasures.withLock { erasures in
        erasures[id, default: 0] += 1
        return erasures[id, default: 0] <= Self.mostErasures
      }
    }
    guard !meant.isEmpty else { return }
    try configs.edit(at: time()) { configs in
      for id in meant {
        if leftGroups.contains(id) {
          try configs.groups.remove(id)
          try configs.conversations.remove(.group(id))
        } else {
          try configs.contacts.remove(id)
          try configs.conversations.remove(.contact(id))
        }
      }
    } saving: { outcome in
      // A remnant has no row of its own: a row means that the person has written since, which is a message request, or
      // that the group was joined again.
      try database.write { transaction in
        try keep(outcome.dumps, in: transaction)
        for owner in outcome.needsPush { try requestSync(of: owner, in: transaction) }
      }
    }
    // The merge may have begun to read a group that is gone again.
    if !leftGroups.isEmpty { tell(.memberships) }
  }
}

private enum SettlingStatements {
  static let read: SQL = "SELECT address, lastReadAt FROM thread WHERE kind IN (?, ?, ?) AND lastReadAt > 0"
}

extension Reading where Self: ~Copyable {
  /// The conversations that have a read position, and that position.
  fileprivate func readConversations() throws -> [(place: ReadMark.Place, at: Int64)] {
    let kinds = (ThreadRecord.Kind.contact, ThreadRecord.Kind.group, ThreadRecord.Kind.community)
    return try map(SettlingStatements.read, kinds.0, kinds.1, kinds.2) {
      (row) throws(StorageError) -> (String, Int64) in
      let address: String = try row[0]
      return (address, try row[1])
    }.compactMap { address, time in
      Conversation.ID(address).flatMap { ReadMark.Place($0) }.map { ($0, time) }
    }
  }
}

extension ConfigChange {
  fileprivate var removesRoom: Bool {
    guard case .community(_, nil) = self else { return false }
    return true
  }
}
