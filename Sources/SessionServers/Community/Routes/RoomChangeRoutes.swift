import SessionBase
import SessionHTTP
import SessionStorage

extension RouteTable<CommunityRoute> {
  /// Changes of the description of rooms.
  mutating func addRoomChanges() {
    write(.put, "/room/{room}") { visit in
      guard visit.author != nil else { return visit.refuseUnsigned(needs: .admin) }
      let change = try RoomChange(try visit.json())
      return { transaction, caller in
        let (room, _) = try visit.room(in: transaction, caller, needs: .admin)
        try transaction.change(room, change, by: caller?.person.id, visit.rules, now: visit.now)
        try transaction.log("room changed", room: room.id, by: caller, now: visit.now)
        return .json(["info_updates": .integer(try transaction.touch(room: room.id))])
      }
    }
  }
}

/// What is to be changed of a room.
struct RoomChange: Sendable {
  var name: String?
  /// Empty for none.
  var description: String?
  /// The permissions that are given to and taken from everybody.
  var adds: RoomPermissions = []
  var removes: RoomPermissions = []
  /// The number of a file, or none; nil to leave it.
  var image: Int64??

  init() {}

  /// Throws 400 for values of another kind, and if there is none.
  init(_ json: JSONValue) throws(CommunityRefusal) {
    if let text = try json.text("name") {
      guard let name = NewRoom.name(text) else { throw .invalid("The name is empty or too long") }
      self.name = name
    }
    if json["description"] != nil {
      guard let description = NewRoom.description(try json.text("description")) else {
        throw .invalid("The description is too long")
      }
      self.description = description
    }
    for (name, permission) in RoomPermissions.names {
      switch try json.flag("default_\(name)") {
      case true?: adds.insert(permission)
      case false?: removes.insert(permission)
      case nil: break
      }
    }
    switch json["image"] {
    case nil: break
    case .null?: image = .some(nil)
    case .integer(let number)?: image = number
    case .string(let text)?:
      guard let number = Int64(text) else { throw .invalid("image is not a number") }
      image = number
    default: throw .invalid("image is not a number")
    }
    guard name != nil || description != nil || !adds.union(removes).isEmpty || image != nil else {
      throw .invalid("There is nothing to change")
    }
  }
}

extension RoomPermissions {
  /// The permissions by the names that clients use.
  static let names: [(String, RoomPermissions)] = [
    ("read", .read), ("accessible", .accessible), ("write", .write), ("upload", .upload),
  ]
}

extension WriteTransaction {
  /// Changes a room; its number of changes is left to the caller. Throws 406 for a file that is no picture, or that
  /// another person has uploaded. `person` is nil for the operator.
  func change(
    _ room: RoomRow, _ change: RoomChange, by person: Int64?, _ rules: CommunityRules, now: Int64
  ) throws {
    noteRoom(room.id)
    if let name = change.name { try run("UPDATE room SET name = ?2 WHERE id = ?1", room.id, name) }
    if let description = change.description {
      try run(
        "UPDATE room SET description = ?2 WHERE id = ?1", room.id, description.isEmpty ? nil : description)
    }
    let defaults = room.defaults.union(change.adds).subtracting(change.removes)
    if defaults != room.defaults {
      try run("UPDATE room SET defaults = ?2 WHERE id = ?1", room.id, defaults)
    }
    guard let image = change.image else { return }
    try setImage(image, of: room, by: person, rules, now: now)
  }

  private func setImage(
    _ image: Int64?, of room: RoomRow, by person: Int64?, _ rules: CommunityRules, now: Int64
  ) throws {
    guard image != room.image else { return }
    if let image {
      // The picture is for everybody, and the file of a message for those who see the message.
      guard let file = try file(image, of: room.id, now: now), file.message == nil,
        file.uploader == person, try rules.shelves.isRoomImage(file, in: self)
      else { throw CommunityRefusal.noPicture }
      try run("UPDATE file SET expires = NULL WHERE id = ?1", image)
    }
    if let old = room.image { try run("UPDATE file SET expires = ?2 WHERE id = ?1", old, now) }
    try run("UPDATE room SET image = ?2 WHERE id = ?1", room.id, image)
  }
}
