internal import CSessionCore

/// The read positions of an account's conversations.
///
/// If two devices set it, one wins, and the device that has read further sets its position again.
public struct ConversationsConfig: ~Copyable {
  package let handle: ConfigHandle

  package init(_ account: Account, dump: [UInt8]) throws(SessionError) {
    handle = try ConfigHandle(
      config: sc_convo_info_config, free: sc_convo_info_free, account: account, dump: dump,
      make: sc_convo_info_new)
  }

  public subscript(place: ReadMark.Place) -> ReadMark? {
    get throws(SessionError) {
      if let (kind, id) = place.named {
        return try Records.one(
          sc_convo(),
          get: { convo in withUnsafePointer(to: id) { sc_convo_info_get(&convo, handle.object, kind, $0) } },
          as: ReadMark.init)
      }
      guard case .community(let room) = place else { return nil }
      return try room.lend { (server, room) throws(SessionError) in
        try Records.one(
          sc_convo(), get: { sc_convo_info_get_community(&$0, handle.object, server, room) },
          as: ReadMark.init)
      }
    }
  }

  /// The read positions shared with other devices: kind by kind, in ascending order.
  public func all() throws(SessionError) -> [ReadMark] {
    try Records.all(
      sc_convo(), first: { sc_convo_info_first(&$0, handle.object) },
      next: { sc_convo_info_next(&$0, handle.object) }, as: ReadMark.init)
  }

  /// The read positions that are so old that only this device keeps them.
  public func archived() throws(SessionError) -> [ReadMark] {
    try Records.all(
      sc_convo(), first: { sc_convo_info_first_archived(&$0, handle.object) },
      next: { sc_convo_info_next(&$0, handle.object) }, as: ReadMark.init)
  }

  /// Changes the read position of a person or group, or adds one. For communities use ``update(_:at:_:)``.
  public mutating func update(
    _ place: ReadMark.Place, at now: MessageTime, _ change: (inout ReadMark) -> Void
  ) throws(SessionError) {
    guard let (kind, id) = place.named else { throw SessionError(SC_ERR_ARGUMENT) }
    try update(at: now, change) { convo in
      withUnsafePointer(to: id) { sc_convo_info_get_or_make(&convo, handle.object, kind, $0) }
    }
  }

  /// Changes the read position of a community room, or adds one.
  public mutating func update(
    _ link: CommunityLink, at now: MessageTime, _ change: (inout ReadMark) -> Void
  ) throws(SessionError) {
    try link.lend { (server, room) throws(SessionError) in
      try update(at: now, change) { convo in
        sc_convo_info_get_or_make_community(&convo, handle.object, server, room, link.serverKey)
      }
    }
  }

  /// Marks a conversation as read up to a message of that time. The position never moves back. Reading also removes the
  /// unread mark.
  public mutating func markRead(
    _ place: ReadMark.Place, upTo read: MessageTime, at now: MessageTime
  ) throws(SessionError) {
    try update(place, at: now) { $0.markRead(upTo: read) }
  }

  /// Marks a community room as read up to a message of that time.
  public mutating func markRead(
    _ link: CommunityLink, upTo read: MessageTime, at now: MessageTime
  ) throws(SessionError) {
    try update(link, at: now) { $0.markRead(upTo: read) }
  }

  private func update(
    at now: MessageTime, _ change: (inout ReadMark) -> Void, get: (inout sc_convo) -> sc_status
  ) throws(SessionError) {
    var stored = sc_convo()
    try SessionError.check(get(&stored))
    var mark = ReadMark(stored)
    change(&mark)
    mark.write(to: &stored)
    try SessionError.check(sc_convo_info_set(handle.object, &stored, now.milliseconds))
  }

  @discardableResult
  public mutating func remove(_ place: ReadMark.Place) throws(SessionError) -> Bool {
    if let (kind, id) = place.named {
      return try Records.erase { erased in
        withUnsafePointer(to: id) { sc_convo_info_erase(&erased, handle.object, kind, $0) }
      }
    }
    guard case .community(let room) = place else { return false }
    return try room.lend { (server, room) throws(SessionError) in
      try Records.erase { sc_convo_info_erase_community(&$0, handle.object, server, room) }
    }
  }
}

extension Community.Place {
  func lend<R>(_ body: (sc_bytes, sc_bytes) throws(SessionError) -> R) throws(SessionError) -> R {
    try Array(server.utf8).lend { (server) throws(SessionError) in
      try Array(room.utf8).lend { (room) throws(SessionError) in try body(server, room) }
    }
  }
}

extension CommunityLink {
  func lend<R>(_ body: (sc_bytes, sc_bytes) throws(SessionError) -> R) throws(SessionError) -> R {
    try Array(server.utf8).lend { (server) throws(SessionError) in
      try Array(room.utf8).lend { (room) throws(SessionError) in try body(server, room) }
    }
  }
}
