import SessionBase
import SessionCore
import SessionHTTP
import SessionStorage

extension RouteTable<CommunityRoute> {
  /// What is special about people in rooms, now and later.
  mutating func addPermissions() {
    for pattern in ["/room/{room}/permissions", "/room/{room}/permissions/{person}"] {
      read(pattern) { visit in
        let key = try visit.parameters["person"].map { try visit.rules.persons.named($0).key }
        return { transaction, caller in
          let (room, _) = try visit.room(in: transaction, caller, needs: .moderator)
          let person = try key.map { try transaction.person(key: $0)?.id ?? 0 }
          let rows = try transaction.overrides(in: room.id, of: person)
          guard key == nil else { return .json(rows.first?.1.object ?? [:]) }
          return .json(.object(rows.map { .init($0.id, $0.1.object) }))
        }
      }
    }
    write(.post, "/room/{room}/permissions/{person}") { visit in
      guard visit.author != nil else { return visit.refuseUnsigned(needs: .moderator) }
      let json = try visit.json()
      let (change, unschedules) = (try PermissionChange(json), try json.flag("unschedule") ?? true)
      let (id, key) = try visit.rules.persons.named(visit["person"])
      return { transaction, caller in
        let (room, _) = try visit.room(in: transaction, caller, needs: .moderator)
        let person = try transaction.named(key, as: id.description, now: visit.now)
        try transaction.change(change, of: person.id, in: room.id, unschedules: unschedules)
        try transaction.log("permissions", room: room.id, by: caller, to: person.id, now: visit.now)
        return .json(try transaction.override(of: person.id, in: room.id)?.object ?? [:])
      }
    }
    for pattern in ["/room/{room}/futurePermissions", "/room/{room}/futurePermissions/{person}"] {
      read(pattern) { visit in
        let key = try visit.parameters["person"].map { try visit.rules.persons.named($0).key }
        return { transaction, caller in
          let (room, _) = try visit.room(in: transaction, caller, needs: .moderator)
          let person = try key.map { try transaction.person(key: $0)?.id ?? 0 }
          return .json(try transaction.futureObjects(in: room.id, of: person))
        }
      }
    }
    write(.post, "/room/{room}/futurePermissions/{person}") { visit in
      guard visit.author != nil else { return visit.refuseUnsigned(needs: .moderator) }
      let json = try visit.json()
      let time = visit.now + (try json.span("in"))
      let values = try ["read", "write", "upload"].map { try json.flag($0) }
      guard values.contains(where: { $0 != nil }) else {
        throw CommunityRefusal.invalid("There is no permission to change")
      }
      let (id, key) = try visit.rules.persons.named(visit["person"])
      return { transaction, caller in
        let (room, _) = try visit.room(in: transaction, caller, needs: .moderator)
        let person = try transaction.named(key, as: id.description, now: visit.now)
        try transaction.schedule(
          of: person.id, in: room.id, at: time, read: values[0], write: values[1], upload: values[2])
        try transaction.log(
          "permissions scheduled", room: room.id, by: caller, to: person.id, until: time, now: visit.now)
        return .json(try transaction.futureObjects(in: room.id, of: person.id))
      }
    }
  }
}

extension CommunityVisit {
  /// Refuses an unsigned request, whatever it carries: with 404 for a room that is not there for everybody.
  func refuseUnsigned(needs need: RoomNeed) -> CommunityRoute.Writes {
    return { transaction, caller in
      _ = try room(in: transaction, caller, needs: need)
      throw CommunityRefusal.unsigned
    }
  }
}

extension PermissionChange {
  /// Throws 400 for values of another kind, contradictions, and if there is none.
  fileprivate init(_ json: JSONValue) throws(CommunityRefusal) {
    for (name, permission) in RoomPermissions.names {
      if let value = try json.flag(name) { values[permission] = value }
      guard try json.flag("default_\(name)") == true else { continue }
      guard values[permission] == nil else {
        throw .invalid("\(name) and default_\(name) exclude each other")
      }
      values[permission] = .some(nil)
    }
    guard !values.isEmpty else { throw .invalid("There is no permission to change") }
  }
}

extension OverrideRow {
  /// What is set, as moderators see it.
  fileprivate var object: JSONValue {
    var json = CommunityJSON()
    for (name, value) in [
      ("read", canRead), ("accessible", canAccess), ("write", canWrite), ("upload", canUpload),
    ] {
      if let value { json.add(name, .boolean(value)) }
    }
    json.add("banned", if: isBanned)
    json.add("moderator", if: role >= .moderator)
    json.add("admin", if: role == .admin)
    json.add("hidden", if: role > .member && !isVisible)
    return json.value
  }
}

extension Reading where Self: ~Copyable {
  /// The changes to come, as moderators see them; of one person without the id.
  fileprivate func futureObjects(in room: Int64, of person: Int64?) throws(StorageError) -> JSONValue {
    .array(
      try futures(in: room, of: person).map { (future) throws(StorageError) in
        var json = CommunityJSON()
        if person == nil { json.add("session_id", text: try self.person(future.person)?.name) }
        json.add("at", time: future.at)
        for (name, value) in [
          ("read", future.canRead), ("write", future.canWrite), ("upload", future.canUpload),
          ("banned", future.isBanned),
        ] {
          if let value { json.add(name, .boolean(value)) }
        }
        return json.value
      })
  }
}

extension JSONValue {
  /// A time to come in seconds, as milliseconds: more than none, less than 10⁹ seconds. Throws 400 otherwise.
  func span(_ name: String) throws(CommunityRefusal) -> Int64 {
    let seconds: Double
    switch self[name] {
    case .integer(let number)?: seconds = Double(number)
    case .decimal(let number)?: seconds = number
    default: throw .invalid("\(name) is not a number")
    }
    guard seconds > 0, seconds < 1e9 else { throw .invalid("\(name) is not a number of seconds to come") }
    return max(Int64(seconds * 1000), 1)
  }
}
