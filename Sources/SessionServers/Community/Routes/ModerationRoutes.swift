import SessionBase
import SessionCore
import SessionHTTP
import SessionStorage

extension RouteTable<CommunityRoute> {
  /// Bans, roles, and what moderators look at.
  mutating func addModeration() {
    write(.post, "/user/{person}/ban") { visit in try visit.ban(true) }
    write(.post, "/user/{person}/unban") { visit in try visit.ban(false) }
    write(.post, "/user/{person}/moderator") { visit in try visit.appoint() }
    read("/room/{room}/bans") { visit in
      { transaction, caller in
        let (room, _) = try visit.room(in: transaction, caller, needs: .moderator)
        return .json(
          .array(
            try transaction.bans(in: room.id).map { ban in
              var json = CommunityJSON()
              json.add("session_id", .string(ban.id))
              json.add("until", time: ban.until)
              return json.value
            }))
      }
    }
    read("/room/{room}/members") { visit in
      let limit = try visit.pageSize()
      let since = try visit.query("since", 0...Int.max, default: 0)
      return { transaction, caller in
        let (room, _) = try visit.room(in: transaction, caller, needs: .moderator)
        return .json(
          .array(
            try transaction.members(of: room.id, since: Int64(since), limit: limit).map { member in
              var json = CommunityJSON()
              json.add("session_id", .string(member.id))
              json.add("last_active", time: member.last)
              json.add("created", time: member.created)
              return json.value
            }))
      }
    }
    read("/room/{room}/log") { visit in
      let limit = try visit.pageSize()
      let since = try visit.query("since", 0...Int.max, default: 0)
      return { transaction, caller in
        let (room, _) = try visit.room(in: transaction, caller, needs: .moderator)
        let rows = try transaction.logged(in: room.id, since: Int64(since), limit: limit)
        return .json(.array(rows.map(\.object)))
      }
    }
  }
}

extension LogRow {
  /// The action, as moderators see it.
  fileprivate var object: JSONValue {
    var json = CommunityJSON()
    json.add("id", .integer(id))
    json.add("at", time: at)
    json.add("what", .string(what))
    json.add("by", text: actor)
    json.add("whom", text: whom)
    json.add("message", number: number)
    json.add("until", time: until)
    return json.value
  }
}

/// Where a moderator's action applies.
enum ModerationScope: Hashable, Sendable {
  case server
  case rooms([String])
  /// All rooms where the caller may.
  case allRooms

  /// Throws 400 unless it is one of them.
  init(_ json: JSONValue) throws(CommunityRefusal) {
    let isGlobal = try json.flag("global") ?? false
    switch json["rooms"] {
    case nil, .null?:
      guard isGlobal else { throw .invalid("There is neither rooms nor global") }
      self = .server
    case .array(let elements)?:
      let tokens = elements.compactMap(\.string)
      guard !isGlobal, !tokens.isEmpty, tokens.count == elements.count, tokens.count <= 1000 else {
        throw .invalid("rooms is not a list of rooms")
      }
      if tokens == ["*"] {
        self = .allRooms
      } else {
        guard !tokens.contains("*") else { throw .invalid("rooms is not a list of rooms") }
        self = .rooms(tokens)
      }
    default: throw .invalid("rooms is not a list of rooms")
    }
  }
}

extension CommunityVisit {
  /// The rooms of a scope, in which the caller has a rank. Throws 403 for one that is not there, for one without
  /// that rank, and if there is none.
  private func rooms(
    _ scope: ModerationScope, _ rank: CommunityRank, in transaction: borrowing WriteTransaction,
    _ caller: CommunityCaller
  ) throws -> [(RoomRow, RoomRights)] {
    var found: [(RoomRow, RoomRights)] = []
    switch scope {
    case .server: break
    case .allRooms:
      for room in try transaction.rooms() {
        let rights = try transaction.rights(of: caller, in: room, rules, now: now)
        if rights.rank >= rank { found.append((room, rights)) }
      }
    case .rooms(let tokens):
      for token in tokens {
        // A room that is hidden from the caller is refused as any other.
        let denied = CommunityRefusal.forbidden("Permission denied")
        guard let room = try transaction.room(token) else { throw denied }
        let rights = try transaction.rights(of: caller, in: room, rules, now: now)
        guard rights.rank >= rank else { throw denied }
        if !found.contains(where: { $0.0.id == room.id }) { found.append((room, rights)) }
      }
    }
    guard !found.isEmpty else { throw CommunityRefusal.forbidden("Permission denied") }
    return found
  }

  // MARK: - Bans

  fileprivate func ban(_ bans: Bool) throws -> CommunityRoute.Writes {
    _ = try signer()
    let json = try json()
    let scope = try ModerationScope(json)
    let span: Int64? =
      bans && json["timeout"] != nil && json["timeout"] != .null ? try json.span("timeout") : nil
    let (id, key) = try rules.persons.named(self["person"])
    return { transaction, caller in
      guard let caller else { throw CommunityRefusal.unsigned }
      let person = try transaction.named(key, as: id.description, now: now)
      if bans {
        guard person.id != caller.person.id else {
          throw CommunityRefusal.forbidden("You cannot ban yourself")
        }
        guard person.role == .member else {
          throw CommunityRefusal.forbidden("Moderators of the server are not banned")
        }
      }
      let until = span.map { now + $0 }
      if scope == .server {
        guard caller.person.role >= .moderator else { throw CommunityRefusal.forbidden("Permission denied") }
        try transaction.setServerBan(of: person.id, bans)
        try transaction.unscheduleBan(of: person.id, in: nil)
        if let until { try transaction.schedule(of: person.id, in: nil, at: until, banned: false) }
        try transaction.log(bans ? "ban" : "unban", by: caller, to: person.id, until: until, now: now)
        return .json([:])
      }
      for (room, rights) in try rooms(scope, .moderator, in: transaction, caller) {
        if bans { try dismiss(person, from: room, by: rights, in: transaction) }
        try transaction.setRoomBan(of: person.id, in: room.id, bans)
        if bans { rules.visits.forget(person.id, in: room.id) }
        try transaction.unscheduleBan(of: person.id, in: room.id)
        if let until { try transaction.schedule(of: person.id, in: room.id, at: until, banned: false) }
        try transaction.log(
          bans ? "ban" : "unban", room: room.id, by: caller, to: person.id, until: until, now: now)
      }
      return .json([:])
    }
  }

  /// Moderators of a room are banned by admins only, and lose their role.
  private func dismiss(
    _ person: PersonRow, from room: RoomRow, by rights: RoomRights, in transaction: borrowing WriteTransaction
  ) throws {
    guard let override = try transaction.override(of: person.id, in: room.id), override.role > .member else {
      return
    }
    guard rights.isAdmin else { throw CommunityRefusal.forbidden("Only admins ban moderators") }
    if try transaction.setRole(.member, isVisible: true, of: person.id, in: room.id) {
      try transaction.touch(room: room.id)
    }
  }

  // MARK: - Roles

  fileprivate func appoint() throws -> CommunityRoute.Writes {
    _ = try signer()
    let json = try json()
    let (scope, change) = (try ModerationScope(json), try RoleChange(json))
    let (id, key) = try rules.persons.named(self["person"])
    return { transaction, caller in
      guard let caller else { throw CommunityRefusal.unsigned }
      let person = try transaction.named(key, as: id.description, now: now)
      var updates: [JSONValue.Member] = []
      if scope == .server {
        guard caller.person.role == .admin else { throw CommunityRefusal.forbidden("Permission denied") }
        let role = change.role(after: person.role)
        if person.role == .admin, role != .admin, try transaction.globalAdminCount() <= 1 {
          throw CommunityRefusal.invalid("The last admin of the server stays")
        }
        let isVisible = change.isVisible ?? (person.role > .member ? person.isVisible : false)
        if try transaction.setGlobalRole(role, isVisible: isVisible, of: person) {
          try transaction.touchAllRooms()
        }
        try transaction.log("role \(role)", by: caller, to: person.id, now: now)
        updates = try transaction.rooms().map { .init($0.token, .integer($0.info)) }
      } else {
        for (room, _) in try rooms(scope, .admin, in: transaction, caller) {
          let old = try transaction.override(of: person.id, in: room.id)
          let before = old?.role ?? .member
          let role = change.role(after: before)
          if role > .member, before == .member,
            try transaction.moderatorCount(of: room.id) >= rules.options.maxModerators
          {
            throw CommunityRefusal.invalid("The room has too many moderators")
          }
          let isVisible = change.isVisible ?? (before > .member ? old?.isVisible ?? true : true)
          var info = room.info
          if try transaction.setRole(role, isVisible: isVisible, of: person.id, in: room.id) {
            info = try transaction.touch(room: room.id)
          }
          try transaction.log("role \(role)", room: room.id, by: caller, to: person.id, now: now)
          updates.append(.init(room.token, .integer(info)))
        }
      }
      return .json(["info_updates": .object(updates)])
    }
  }
}

/// What becomes of a role.
struct RoleChange: Hashable, Sendable {
  let isModerator, isAdmin, isVisible: Bool?

  init(isModerator: Bool?, isAdmin: Bool?, isVisible: Bool?) {
    (self.isModerator, self.isAdmin, self.isVisible) = (isModerator, isAdmin, isVisible)
  }

  /// Throws 400 for values of another kind, a contradiction, and nothing.
  init(_ json: JSONValue) throws(CommunityRefusal) {
    self.init(
      isModerator: try json.flag("moderator"), isAdmin: try json.flag("admin"),
      isVisible: try json.flag("visible"))
    guard isModerator != nil || isAdmin != nil else { throw .invalid("There is neither moderator nor admin") }
    guard !(isAdmin == true && isModerator == false) else {
      throw .invalid("An admin is always a moderator")
    }
  }

  func role(after old: CommunityRank) -> CommunityRank {
    if isAdmin == true { return .admin }
    switch (isModerator, isAdmin) {
    case (false?, _): return .member
    case (true?, false?): return .moderator
    case (true?, _): return max(old, .moderator)
    default: return min(old, .moderator)
    }
  }
}
