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
          get: { convo in withUnsafePointer(to: id) { sc_convo_info_get(convo, handle.object, kind, $0) } },
          as: ReadMark.init)
      }
      guard case .community(let room) = place else { return nil }
      return try room.lend { (server, room) throws(SessionError) in
        try Records.one(
          get: { sc_convo_info_get_community($0, handle.object, server, room) }, as: ReadMark.init)
      }
    }
  }

  /// The read positions shared with other devices: kind by kind, in ascending order.
  public func all() throws(SessionError) -> [ReadMark] {
    try Records.all(
      first: { sc_convo_info_first($0, handle.object) }, next: { sc_convo_info_next($0, handle.object) },
      as: ReadMark.init)
  }

  /// Changes the read position of a person or group, or adds one. For communities use ``update(_:at:_:)``.
  public mutating func update(
    _ place: ReadMark.Place, at now: MessageTime, _ change: (inout ReadMark) -> Void
  ) throws(SessionError) {
    guard let (kind, id) = place.named else { throw SessionError(SC_ERR_ARGUMENT) }
    try update(at: now, change) { convo in
      withUnsafePointer(to: id) { sc_convo_info_get_or_make(convo, handle.object, kind, $0) }
    }
  }

  /// Changes the read position of a community room, or adds one.
  public mutating func update(
    _ link: CommunityLink, at now: MessageTime, _ change: (inout ReadMark) -> Void
  ) throws(SessionError) {
    try link.lend { (server, room) throws(SessionError) in
      try update(at: now, change) { convo in
        sc_convo_info_get_or_make_community(convo, handle.object, server, room, link.serverKey)
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
    at now: MessageTime, _ change: (inout ReadMark) -> Void,
    get: (UnsafeMutablePointer<sc_convo>) -> sc_status
  ) throws(SessionError) {
    try Records.update(
      get: get, set: { sc_convo_info_set(handle.object, $0, now.milliseconds) }, as: ReadMark.init, change)
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

/// The address of a room, which the core takes as two texts.
protocol RoomAddress {
  var server: String { get }
  var room: String { get }
}

extension RoomAddress {
  func lend<R>(_ body: (sc_bytes, sc_bytes) throws(SessionError) -> R) throws(SessionError) -> R {
    try Core.lend(server.utf8, room.utf8, body)
  }
}

extension Community.Place: RoomAddress {}
extension CommunityLink: RoomAddress {}
