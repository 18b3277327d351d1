import SessionCore
import SessionMessaging
import Testing

@Suite struct GroupConfigsTests {
  private let admin: ConfigStore
  private let member: ConfigStore
  private let group: SessionID
  private let seed: SecretBytes
  private var swarm = Swarm()

  init() throws {
    admin = try ConfigStore(Example.first())
    member = try ConfigStore(Example.second())
    // The group of the specification: its seed is 32 times 0x11.
    seed = try SecretBytes(copying: [UInt8](repeating: 0x11, count: 32))
    group = try SessionID(parsing: "03d04ab232742bb4ab3a1368bd4615e4e6d0224ab71a016baf8520a332c9778737")
  }

  private var names: [ConfigName] {
    [ConfigKind.groupKeys, .groupInfo, .groupMembers].map { ConfigName($0, of: group) }
  }

  private mutating func create() throws {
    let (group, seed, ids) = (group, seed, [admin.account.id, member.account.id])
    try admin.edit { (configs) throws(SessionError) in
      try configs.openGroup(group, adminSeed: seed)
      try configs.withGroup(group) { (group) throws(SessionError) in
        try group.updateInfo { $0.name = "Friends" }
        try group.updateMember(ids[0]) { $0.note(.promotionAccepted) }
        try group.updateMember(ids[1]) { $0.name = "Bob" }
        try group.rekey()
      }
    }
    try member.edit { (configs) throws(SessionError) in try configs.openGroup(group) }
  }

  @Test mutating func keysAreStoredBeforeWhatTheyOpen() throws {
    try create()
    let batch = try #require(try admin.pendingPushes(at: swarm.now).first)
    #expect(batch.owner == group)
    #expect(batch.pushes.map(\.name.kind) == [.groupKeys, .groupInfo, .groupMembers])
    #expect(batch.pushes.map(\.namespace.rawValue) == [12, 13, 14])
  }

  @Test mutating func aMemberReadsWhatAnAdminWrote() throws {
    try create()
    try swarm.take(from: admin)
    let (group, memberID) = (group, member.account.id)
    let merges = try names.map { try swarm.give($0, to: member) }
    #expect(merges.allSatisfy { $0.rejected.isEmpty })
    #expect(merges[0].changes == [.groupKeys(group)])
    let (info, bob, generation) = try member.edit { (configs) throws(SessionError) in
      try configs.withGroup(group) { (group) throws(SessionError) in
        (try group.getInfo(), try group.member(memberID), group.generation)
      }
    }
    #expect(info.name == "Friends" && generation == 0)
    #expect(bob?.name == "Bob" && bob?.status == .inviteNotSent)
    #expect(merges[1].changes == [.groupInfo(group, info)])
    #expect(merges[2].changes.contains(.groupMember(memberID, in: group, bob)))
  }

  @Test mutating func onlyAdminsEdit() async throws {
    try create()
    try swarm.take(from: admin)
    for name in names { try swarm.give(name, to: member) }
    let (group, member, seed) = (group, member, seed)
    let rename = {
      try member.edit { (configs) throws(SessionError) in
        try configs.withGroup(group) { (group) throws(SessionError) in
          try group.updateInfo { $0.name = "Foes" }
        }
      }
    }
    await expectFailure(.configReadOnly) { try rename() }
    try member.edit { (configs) throws(SessionError) in
      try configs.withGroup(group) { (group) throws(SessionError) in try group.becomeAdmin(seed: seed) }
    }
    try rename()
    try swarm.take(from: member)
    #expect(try swarm.give(names[1], to: admin).changes.count == 1)
  }

  @Test mutating func membersWithoutTheNewKeyCannotReadLaterConfigs() throws {
    try create()
    try swarm.take(from: admin)
    for store in [admin, member] { for name in names { try swarm.give(name, to: store) } }
    let (group, memberID) = (group, member.account.id)
    try admin.edit { (configs) throws(SessionError) in
      try configs.withGroup(group) { (group) throws(SessionError) in
        #expect(try group.removeMember(memberID))
        try group.rekey()
        try group.updateInfo { $0.name = "Secret" }
      }
    }
    try swarm.take(from: admin)
    #expect(try swarm.give(names[0], to: member).changes.isEmpty)
    #expect(try swarm.give(names[1], to: member).rejected.map(\.error.code) == [.noKey])
    let name = try member.edit { (configs) throws(SessionError) in
      try configs.withGroup(group) { (group) throws(SessionError) in try group.getInfo().name }
    }
    #expect(name == "Friends")
  }

  @Test mutating func dumpsOpenTheGroupAgain() throws {
    try create()
    let dumps = try admin.dumps(at: swarm.now)
    let again = try ConfigStore(admin.account)
    let (group, seed) = (group, seed)
    let (name, members) = try again.edit { (configs) throws(SessionError) in
      try configs.openGroup(group, adminSeed: seed, dumps: dumps)
      return try configs.withGroup(group) { (group) throws(SessionError) in
        (try group.getInfo().name, try group.memberCount)
      }
    }
    #expect(name == "Friends" && members == 2)
    #expect(again.damaged.isEmpty)
  }

  @Test mutating func accessIsForOneMember() throws {
    try create()
    let (group, memberID) = (group, member.account.id)
    let (access, token) = try admin.edit { (configs) throws(SessionError) in
      try configs.withGroup(group) { (group) throws(SessionError) in
        (try group.grantAccess(to: memberID), try group.accessToken(of: memberID))
      }
    }
    #expect(access.count == 100 && token.count == 36)
    #expect(Array(access.reveal().prefix(4)) == Array(token.prefix(4)))
  }

  @Test mutating func configsWithoutTheirKeyAreRejected() throws {
    try create()
    try swarm.take(from: admin)
    let merge = try swarm.give(names[1], to: member)
    #expect(merge.rejected.map(\.error.code) == [.noKey])
    #expect(merge.changes.isEmpty && merge.effect == .kept)
    try swarm.give(names[0], to: member)
    #expect(try swarm.give(names[1], to: member).effect == .adopted)
  }

  @Test mutating func groupsAreReadWithoutAnEdit() async throws {
    try create()
    let group = group
    let count = try admin.read { (configs) throws(SessionError) in
      try configs.readGroup(group) { (group) throws(SessionError) in try group.memberCount }
    }
    #expect(count == 2)
    let stranger = try ConfigStore(Account.generate())
    await expectFailure(.notFound) {
      try stranger.read { (configs) throws(SessionError) in try configs.readGroup(group) { _ in } }
    }
  }

  @Test func theGroupsAnAccountIsInAreOpenedTogether() throws {
    let seeds = try (1...5).map { try SecretBytes(copying: [UInt8](repeating: $0, count: 32)) }
    let ids = try seeds.map { try GroupAdminKey(seed: $0).group }
    let (open, admins) = try admin.edit { (configs) throws(SessionError) in
      for id in ids { try configs.groups.update(id) { $0.name = "G" } }
      try configs.groups.update(ids[0]) { $0.adminSeed = seeds[0] }
      try configs.groups.update(ids[1]) { $0.membership.isInvited = true }
      try configs.groups.update(ids[2]) { $0.markKicked() }
      try configs.groups.update(ids[3]) { $0.markDestroyed() }
      try configs.openJoinedGroups()
      var admins = [
        try configs.readGroup(ids[0]) { $0.isAdmin }, try configs.readGroup(ids[4]) { $0.isAdmin },
      ]
      // Promoted meanwhile.
      try configs.groups.update(ids[4]) { $0.adminSeed = seeds[4] }
      try configs.openJoinedGroups()
      admins.append(try configs.readGroup(ids[4]) { $0.isAdmin })
      return (configs.openGroups, admins)
    }
    #expect(Set(open) == [ids[0], ids[4]])
    #expect(admins == [true, false, true])
  }

  @Test func aGroupThatIsClosedLeavesNothingBehind() throws {
    let group = group
    let bad = ConfigDump(names[1], content: [1])
    try member.edit { (configs) throws(SessionError) in try configs.openGroup(group, dumps: [bad]) }
    #expect(member.damaged.keys.contains(names[1]))
    member.edit { $0.closeGroup(group) }
    #expect(member.damaged.isEmpty)
    try member.edit { (configs) throws(SessionError) in try configs.openGroup(group) }
    #expect(member.damaged.isEmpty)
  }
}
