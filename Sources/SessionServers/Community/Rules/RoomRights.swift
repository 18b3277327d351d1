import SessionStorage

/// The person who makes a request.
struct CommunityCaller: Hashable, Sendable {
  let person: PersonRow
  /// The id that signed the request, as others see it.
  let id: String
}

/// What somebody may do in a room.
struct RoomRights: Hashable, Sendable {
  var allowed: RoomPermissions
  /// Banned from the room or from the server.
  var isBanned = false
  /// The role in the room, or in all rooms.
  var rank = CommunityRank.member
  var globalRank = CommunityRank.member

  var isModerator: Bool { rank >= .moderator }
  var isAdmin: Bool { rank == .admin }

  /// True if the room exists for them.
  var seesRoom: Bool { allowed.contains(.read) || allowed.contains(.accessible) }

  func has(_ permission: RoomPermissions) -> Bool { allowed.contains(permission) }
}

extension RoomRights {
  /// Decides in this order: a ban, a role, what is special about the person, what holds for everybody.
  init(
    of caller: CommunityCaller?, in room: RoomRow, _ override: OverrideRow?,
    firstVisit: Int64? = nil, now: Int64
  ) {
    guard let person = caller?.person else {
      self.init(allowed: room.defaults.effective)
      return
    }
    let (rank, isBanned) = (
      max(person.role, override?.role ?? .member), person.isBanned || override?.isBanned == true
    )
    guard !isBanned else {
      self.init(allowed: [], isBanned: true)
      return
    }
    guard rank == .member else {
      self.init(allowed: .all, rank: rank, globalRank: person.role)
      return
    }
    var allowed = room.defaults
    allowed.change(.read, override?.canRead)
    allowed.change(.accessible, override?.canAccess)
    allowed.change(.write, override?.canWrite ?? Self.passes(room.newcomerWrite, firstVisit, now))
    allowed.change(.upload, override?.canUpload ?? Self.passes(room.newcomerUpload, firstVisit, now))
    self.init(allowed: allowed.effective)
  }

  /// False for a newcomer who has to wait yet; nil for others.
  private static func passes(_ minutes: Int64, _ firstVisit: Int64?, _ now: Int64) -> Bool? {
    guard minutes > 0 else { return nil }
    guard let firstVisit else { return false }
    return now - firstVisit < minutes * 60_000 ? false : nil
  }
}

extension RoomPermissions {
  /// To upload one must also write.
  fileprivate var effective: RoomPermissions { contains(.write) ? self : subtracting(.upload) }

  /// Sets a permission; nil leaves it as it is.
  fileprivate mutating func change(_ permission: RoomPermissions, _ value: Bool?) {
    switch value {
    case true?: insert(permission)
    case false?: remove(permission)
    case nil: break
    }
  }
}
