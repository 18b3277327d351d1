import SessionBase
import SessionHTTP
import SessionStorage

extension RouteTable<CommunityRoute> {
  /// What a server can do, its rooms, and their state.
  mutating func addRooms() {
    read("/capabilities", resting: RestingRead.capabilities(of:)) { visit in
      guard let required = visit.target[query: "required"] else {
        let answer = visit.rules.capabilities
        return { _, _ in answer }
      }
      let names = visit.rules.options.capabilities
      let wanted = required.split(separator: ",").map { String($0) }
      let missing = wanted.filter { !names.contains($0) }
      var json = CommunityJSON(capabilities: names)
      if !missing.isEmpty { json.add("missing", .array(missing.map { .string($0) })) }
      let answer = CommunityAnswer.json(json.value, status: missing.isEmpty ? 200 : 412)
      return { _, _ in answer }
    }
    read("/rooms") { visit in
      { transaction, caller in
        let writer = RoomWriter(rules: visit.rules)
        var objects: [JSONValue] = []
        for room in try transaction.rooms() {
          let rights = try transaction.rights(of: caller, in: room, visit.rules, now: visit.now)
          if rights.seesRoom { objects.append(try writer.object(room, rights, in: transaction)) }
        }
        return .json(.array(objects))
      }
    }
    read("/room/{room}", resting: RestingRead.room(of:)) { visit in
      { transaction, caller in
        let (room, rights) = try visit.room(in: transaction, caller, needs: .visible)
        return .json(try RoomWriter(rules: visit.rules).object(room, rights, in: transaction))
      }
    }
    read("/room/{room}/pollInfo/{info}", resting: RestingRead.poll(of:)) { visit in
      let info = try visit.number("info")
      return { transaction, caller in
        let (room, rights) = try visit.room(in: transaction, caller, needs: .read)
        visit.note(caller, in: room)
        return .json(
          try RoomWriter(rules: visit.rules).poll(room, rights, knowing: info, in: transaction))
      }
    }
  }
}

extension CommunityJSON {
  /// The names of what a server can do.
  init(capabilities names: [String]) {
    self.init()
    add("capabilities", .array(names.map { .string($0) }))
  }
}

extension CommunityVisit {
  /// Notes that somebody has read a room.
  func note(_ caller: CommunityCaller?, in room: RoomRow) {
    if let caller { rules.visits.note(caller.person.id, in: room.id, now: now) }
  }
}
