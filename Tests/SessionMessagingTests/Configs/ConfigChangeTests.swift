import SessionCore
import SessionMessaging
import Testing

@Suite struct ConfigChangeTests {
  private let account: Account
  private let friend: SessionID
  private var swarm = Swarm()
  private let key = String(repeating: "k", count: 32)

  init() throws {
    account = try Example.first()
    friend = try Example.second().id
  }

  private func merge(_ kind: ConfigKind, data: String) throws -> ConfigMerge {
    let now = try swarm.now
    let messages = try CraftedConfig.messages(account, kind, data: data, at: now)
    return try ConfigStore(account).merge(messages, into: ConfigName(kind, of: account.id), at: now)
  }

  @Test func invalidEntriesDoNotHideTheRest() throws {
    let whole = String(repeating: "ab", count: 32)
    // One contact's key is too short, and one server is no address.
    let rooms = "d64:\(whole)d1:n1:Ye4:abcdd1:n1:Xee"
    let data =
      "d1:bd18:http://example.orgd1:#32:\(key)1:R\(rooms)e6:nobodyd1:#32:\(key)1:R\(rooms)eee"
    let merge = try merge(.contacts, data: data)
    #expect(merge.rejected.isEmpty)
    let names = merge.changes.compactMap { change -> String? in
      guard case .blindedContact(_, _, let contact) = change else { return nil }
      return contact?.name
    }
    #expect(names == ["Y"])
  }

  @Test func aContactIsToldOnceWhateverChangedOfIt() throws {
    let (one, other) = (try ConfigStore(account), try ConfigStore(account))
    let now = try swarm.now
    let ids = try (0..<20).map { _ in try Account.generate().id }
    try one.edit { (configs) throws(SessionError) in
      for id in ids {
        try configs.contacts.update(id) {
          $0.name = "Ann"
          $0.nickname = "An"
          $0.isBlocked = true
          $0.createdAtSeconds = 1_700_000_000
        }
      }
    }
    let push = try #require(one.pendingPushes(at: now).first?.pushes.first)
    let messages = push.messages.map { ConfigMessage(hash: "h", stored: $0, storedAt: now) }
    let merge = try other.merge(messages, into: push.name, at: now)
    #expect(merge.effect == .adopted)
    let told = merge.changes.compactMap { change -> SessionID? in
      guard case .contact(let id, let contact?) = change, contact.nickname == "An" else { return nil }
      return id
    }
    #expect(told.count == ids.count && Set(told) == Set(ids))
  }

  @Test mutating func aServersNewKeyIsToldForAllItsRooms() throws {
    let (one, other) = (try ConfigStore(account), try ConfigStore(account))
    let name = ConfigName(.userGroups, of: account.id)
    let newKey = [UInt8](repeating: 5, count: 32)
    try one.edit { (configs) throws(SessionError) in
      for room in ["one", "two"] {
        let link = try CommunityLink(parsing: "https://example.org/\(room)?public_key=\(Example.server)")
        try configs.groups.update(link) { _ in }
      }
      let elsewhere = try CommunityLink(parsing: "https://example.com/one?public_key=\(Example.server)")
      try configs.groups.update(elsewhere) { _ in }
    }
    try swarm.take(from: one)
    #expect(try swarm.give(name, to: other).changes.count == 3)
    let link = try CommunityLink(parsing: "https://example.org/three?public_key=\(newKey.hex)")
    try one.edit { (configs) throws(SessionError) in
      try configs.groups.remove(Community.Place(server: "https://example.org", room: "two"))
      try configs.groups.update(link, replacesKey: true) { _ in }
    }
    try swarm.take(from: one)
    let told = try swarm.give(name, to: other).changes.compactMap { change -> String? in
      guard case .community(let place, let community) = change else { return nil }
      return "\(place.room) \(community?.serverKey == newKey)"
    }
    #expect(told.sorted() == ["one true", "three true", "two false"])
  }

  @Test mutating func aContactBlindedInTheOldWayIsKnownWhenItGoes() throws {
    let (one, other) = (try ConfigStore(account), try ConfigStore(account))
    let name = ConfigName(.contacts, of: account.id)
    let link = try CommunityLink(parsing: "https://example.org/one?public_key=\(Example.server)")
    let keys = (0..<3).map { [UInt8](repeating: $0 + 1, count: 32) }
    let ids = [
      try SessionID(.blinded15, key: keys[0]), try SessionID(.blinded25, key: keys[1]),
      try SessionID(.blinded15, key: keys[2]),
    ]
    try one.edit { (configs) throws(SessionError) in
      for id in ids { try configs.contacts.updateBlinded(id, at: link) { $0.name = "Ann" } }
    }
    try swarm.take(from: one)
    #expect(try swarm.give(name, to: other).changes.count == 3)
    try one.edit { (configs) throws(SessionError) in
      for id in ids { try configs.contacts.removeBlinded(id, server: link.server) }
    }
    try swarm.take(from: one)
    #expect(
      try swarm.give(name, to: other).changes
        == ids.map { ConfigChange.blindedContact($0, server: link.server, nil) })
  }
}
