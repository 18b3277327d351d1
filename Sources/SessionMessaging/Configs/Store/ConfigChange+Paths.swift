import SessionCore

// The changes in each kind of config.

extension ProfileConfig {
  func changes(_ paths: [ConfigPath]) -> [ConfigChange] {
    var changes: [ConfigChange] = []
    if !paths.isEmpty { changes.tell { () throws(SessionError) in .profile(try get()) } }
    return changes
  }
}

extension ContactsConfig {
  func changes(_ paths: [ConfigPath]) -> [ConfigChange] {
    var changes: [ConfigChange] = []
    var rekeyed: String?
    for path in paths {
      switch path.text(0) {
      case "c":
        guard let id = path.id(1, .standard) else { continue }
        changes.tell { () throws(SessionError) in .contact(id, try self[id]) }
        if path.touchesPriority, case .contact(id, let contact?)? = changes.last, contact.priority == .hidden
        {
          changes.insert(.hiding(id), at: changes.count - 1)
        }
      case "b":
        if let server = path.serverOfKey {
          rekeyed = server
          for contact in (try? allBlinded()) ?? [] where contact.server == server {
            changes.append(.blindedContact(contact.id, server: server, contact))
          }
        } else if let change = try? blindedChange(path) {
          // Contacts that are still there were reported with the server's key.
          if case .blindedContact(_, let server, .some) = change, server == rekeyed { continue }
          changes.append(change)
        }
      default: continue
      }
    }
    return changes
  }

  /// The kind of blinded id comes from the record or, if it was deleted, from its changed mark.
  private func blindedChange(_ path: ConfigPath) throws(SessionError) -> ConfigChange? {
    guard let (server, digits) = path.room, let key = try? [UInt8](hex: digits.utf8) else { return nil }
    for kind in [SessionID.Kind.blinded15, .blinded25] {
      let id = try SessionID(kind, key: key)
      if let contact = try blinded(id, server: server) { return .blindedContact(id, server: server, contact) }
    }
    let id = try SessionID(path.touchesOldBlinding ? .blinded15 : .blinded25, key: key)
    return .blindedContact(id, server: server, nil)
  }
}

extension UserGroupsConfig {
  func changes(_ paths: [ConfigPath]) -> [ConfigChange] {
    var changes: [ConfigChange] = []
    var rekeyed: String?
    for path in paths {
      switch path.text(0) {
      case "g":
        guard let id = path.id(1, .group) else { continue }
        changes.tell { () throws(SessionError) in .group(id, try self[id]) }
      case "C":
        guard let id = path.id(1, .standard) else { continue }
        changes.tell { () throws(SessionError) in .legacyGroup(id, try legacyGroup(id)) }
      case "o":
        if let server = path.serverOfKey {
          rekeyed = server
          for community in (try? communities()) ?? [] where community.id.server == server {
            changes.append(.community(community.id, community))
          }
        } else if let place = Community.Place(path), let change = try? change(of: place) {
          // Rooms that are still there were reported with the server's key.
          if case .community(_, .some) = change, place.server == rekeyed { continue }
          changes.append(change)
        }
      default: continue
      }
    }
    return changes
  }

  private func change(of place: Community.Place) throws(SessionError) -> ConfigChange {
    .community(place, try self[place])
  }
}

extension ConversationsConfig {
  func changes(_ paths: [ConfigPath]) -> [ConfigChange] {
    var changes: [ConfigChange] = []
    for place in paths.compactMap(ReadMark.Place.init) {
      changes.tell { () throws(SessionError) in .readMark(place, try self[place]) }
    }
    return changes
  }
}

extension GroupConfigs {
  func changes(_ kind: ConfigKind, _ paths: [ConfigPath]) -> [ConfigChange] {
    var changes: [ConfigChange] = []
    if kind == .groupInfo {
      if !paths.isEmpty { changes.tell { () throws(SessionError) in .groupInfo(id, try getInfo()) } }
      return changes
    }
    for path in paths where path.text(0) == "m" {
      guard let member = path.id(1, .standard) else { continue }
      changes.tell { () throws(SessionError) in .groupMember(member, in: id, try self.member(member)) }
    }
    return changes
  }
}

extension ReadMark.Place {
  /// The conversation that a value belongs to.
  init?(_ path: ConfigPath) {
    let place: Self? =
      switch path.text(0) {
      case "1": path.id(1, .standard).map(Self.contact)
      case "g": path.id(1, .group).map(Self.group)
      case "b": (path.id(1, .blinded15) ?? path.id(1, .blinded25)).map(Self.blinded)
      case "C": path.id(1, .standard).map(Self.legacyGroup)
      case "o": Community.Place(path).map(Self.community)
      default: nil
      }
    guard let place else { return nil }
    self = place
  }
}

extension Community.Place {
  /// The room that a value belongs to.
  init?(_ path: ConfigPath) {
    guard let (server, room) = path.room, let place = try? Self(server: server, room: room) else {
      return nil
    }
    self = place
  }
}
