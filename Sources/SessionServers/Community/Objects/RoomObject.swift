import SessionBase
import SessionCore
import SessionStorage

/// The form in which one caller gets rooms.
struct RoomWriter: Sendable {
  let rules: CommunityRules

  /// The whole description of a room for a caller.
  func object(
    _ room: RoomRow, _ rights: RoomRights, in transaction: borrowing some Reading & ~Copyable
  ) throws(StorageError) -> JSONValue {
    object(try details(of: room, isModerator: rights.isModerator, in: transaction), rights, of: room)
  }

  /// The same, with the details as the caller sees them.
  func object(_ details: RoomDetails, _ rights: RoomRights, of room: RoomRow) -> JSONValue {
    var json = details.json
    addRights(rights, of: room, to: &json)
    return json.value
  }

  /// What all moderators of a room, or all others, see alike.
  func details(
    of room: RoomRow, isModerator: Bool, in transaction: borrowing some Reading & ~Copyable
  ) throws(StorageError) -> RoomDetails {
    var json = CommunityJSON()
    json.add("token", .string(room.token))
    json.add("name", .string(room.name))
    json.add("description", text: room.description)
    json.add("info_updates", .integer(room.info))
    json.add("message_sequence", .integer(room.sequence))
    json.add("created", time: room.created)
    json.add("active_users", .integer(room.activeUsers))
    json.add("active_users_cutoff", .integer(rules.options.activeSpan / 1000))
    json.add("image_id", number: room.image)
    json.add("url", .string(rules.link(to: room.token)))
    let pins = try transaction.pins(of: room.id)
    if !pins.isEmpty { json.add("pinned_messages", .array(pins.map(\.object))) }
    addModerators(try transaction.moderators(of: room.id), to: &json, isModerator: isModerator)
    return RoomDetails(json: json)
  }

  /// The state of a room, with the description unless the caller has this one.
  func poll(
    _ room: RoomRow, _ rights: RoomRights, knowing info: Int64,
    in transaction: borrowing some Reading & ~Copyable
  ) throws(StorageError) -> JSONValue {
    guard info != room.info else { return poll(room, rights) }
    return poll(room, rights, details: try object(room, rights, in: transaction))
  }

  /// The same, with the description that is given.
  func poll(_ room: RoomRow, _ rights: RoomRights, details: JSONValue? = nil) -> JSONValue {
    var json = CommunityJSON()
    json.add("token", .string(room.token))
    json.add("active_users", .integer(room.activeUsers))
    addRights(rights, of: room, to: &json)
    if let details { json.add("details", details) }
    return json.value
  }

  /// Moderators see the hidden ones, and those who have not come yet.
  private func addModerators(
    _ moderators: [ModeratorRow], to json: inout CommunityJSON, isModerator: Bool
  ) {
    func ids(_ isAdmin: Bool, _ isVisible: Bool) -> [String] {
      moderators.filter { $0.isAdmin == isAdmin && $0.isVisible == isVisible }
        .compactMap { $0.shown ?? (isModerator ? $0.named : nil) }
    }
    for (name, isAdmin) in [("moderators", false), ("admins", true)] {
      json.add(name, .array(ids(isAdmin, true).sorted().map { .string($0) }))
      if isModerator { json.add("hidden_\(name)", ids: ids(isAdmin, false)) }
    }
  }

  private func addRights(_ rights: RoomRights, of room: RoomRow, to json: inout CommunityJSON) {
    json.add("read", .boolean(rights.has(.read)))
    json.add("write", .boolean(rights.has(.write)))
    json.add("upload", .boolean(rights.has(.upload)))
    json.add("moderator", if: rights.isModerator)
    json.add("admin", if: rights.isAdmin)
    json.add("global_moderator", if: rights.globalRank >= .moderator)
    json.add("global_admin", if: rights.globalRank == .admin)
    guard rights.isModerator else { return }
    for (name, permission) in [
      ("read", RoomPermissions.read), ("accessible", .accessible), ("write", .write), ("upload", .upload),
    ] {
      json.add("default_\(name)", .boolean(room.defaults.contains(permission)))
    }
  }
}

/// The description of a room without what a caller may do there.
struct RoomDetails: Sendable {
  fileprivate let json: CommunityJSON
}

/// A message that is pinned to a room.
struct PinRow: Record, Hashable {
  let message: Int64
  let at: Int64
  /// The id of the admin.
  let by: String?

  init(_ row: borrowing Row) throws(StorageError) {
    message = try row[0]
    at = try row[1]
    by = try row[2]
  }

  fileprivate var object: JSONValue {
    var json = CommunityJSON()
    json.add("id", .integer(message))
    json.add("pinned_at", time: at)
    json.add("pinned_by", text: by)
    return json.value
  }
}

extension Reading where Self: ~Copyable {
  /// The pins of a room, the oldest one first.
  func pins(of room: Int64) throws(StorageError) -> [PinRow] {
    try all(
      """
      SELECT pin.message, pin.at, (SELECT coalesce(shown, named) FROM person WHERE person.id = pin.actor)
      FROM pin WHERE pin.room = ?1 ORDER BY pin.at, pin.message
      """, room)
  }
}
