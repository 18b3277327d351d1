import SessionCore
import SessionEndpoint
import SessionMessaging
import Testing

@Suite struct ConfigFieldTests {
  private let account: Account
  private let friend: SessionID
  private let now: MessageTime

  init() throws {
    account = try Example.first()
    friend = try Example.second().id
    now = try MessageTime(milliseconds: 1_700_000_000_000)
  }

  @Test func readingGoesForwardOnly() throws {
    let store = try ConfigStore(account)
    func read(_ milliseconds: UInt64) throws -> ReadMark? {
      let time = try MessageTime(milliseconds: milliseconds)
      return try store.edit { (configs) throws(SessionError) in
        try configs.conversations.markRead(.contact(friend), upTo: time, at: now)
        return try configs.conversations[.contact(friend)]
      }
    }
    #expect(try read(1_699_999_000_000)?.lastReadMilliseconds == 1_699_999_000_000)
    #expect(try read(1_699_998_000_000)?.lastReadMilliseconds == 1_699_999_000_000)
    try store.edit { (configs) throws(SessionError) in
      try configs.conversations.update(.contact(friend), at: now) { $0.isMarkedUnread = true }
    }
    let seen = try read(1_699_998_000_000)
    #expect(seen?.isMarkedUnread == false && seen?.lastReadMilliseconds == 1_699_999_000_000)
    let link = try CommunityLink(parsing: "https://example.org/Room?public_key=\(Example.server)")
    let room = try store.edit { (configs) throws(SessionError) in
      try configs.conversations.markRead(link, upTo: now, at: now)
      return try configs.conversations[.community(Community.Place(server: link.server, room: link.room))]
    }
    #expect(room?.lastReadMilliseconds == Int64(now.milliseconds))
  }

  @Test func changesOfTheProfileWithinOneSecondAreToldApart() throws {
    let store = try ConfigStore(account)
    func name(_ name: String, at time: MessageTime) throws -> Int64 {
      try store.edit { (configs) throws(SessionError) in
        try configs.profile.update(at: time) { $0.name = name }
        return try configs.profile.get().updatedAtSeconds
      }
    }
    let second = Int64(now.seconds)
    #expect(try name("Al", at: now) == second)
    #expect(try name("Ali", at: now) == second + 1)
    #expect(try name("Alic", at: MessageTime(milliseconds: now.milliseconds + 999)) == second + 2)
    #expect(try name("Alic", at: now) == second + 2)
    #expect(try name("Alice", at: MessageTime(milliseconds: now.milliseconds + 10_000)) == second + 10)
    // A clock that was an hour ahead counts, since others have taken it; one that was two days ahead does not.
    #expect(try name("Early", at: MessageTime(milliseconds: now.milliseconds + 3_600_000)) == second + 3600)
    #expect(try name("Alice", at: now) == second + 3601)
    let later = try MessageTime(milliseconds: now.milliseconds + 2 * 86_400_000)
    #expect(try name("Early", at: later) == second + 2 * 86_400)
    #expect(try name("Alice", at: now) == second)
  }

  @Test func devicesShareAProSubscription() async throws {
    let store = try ConfigStore(account)
    let seed = try SecretBytes(copying: [UInt8](repeating: 3, count: 32))
    let rotating = try NetworkIdentity(seed: seed).publicKey
    let proof = try ProProof(
      issuing: .b, tag: [UInt8](repeating: 9, count: 32), rotatingKey: rotating, expiry: 1_800_000_000,
      backendSeed: seed)
    let pro = try store.edit { (configs) throws(SessionError) in
      try configs.profile.updatePro(at: now) {
        $0.purchaseBegunAtSeconds = Int64(now.seconds)
        $0.renews = true
      }
      #expect(try configs.profile.pro(at: now).purchaseBegunAtSeconds == Int64(now.seconds))
      try configs.profile.updatePro(at: now) {
        $0.credential = ProfilePro.Credential(proof, seed: seed)
        $0.accessEndsAtSeconds = 1_800_000_000
        $0.graceSeconds = 3600
      }
      return try configs.profile.pro(at: now)
    }
    #expect(pro.credential == ProfilePro.Credential(proof, seed: seed))
    #expect(pro.accessEndsAtSeconds == 1_800_000_000 && pro.graceSeconds == 3600 && pro.renews)
    #expect(pro.purchaseBegunAtSeconds == 0, "the credential settles the purchase")
    let other = try SecretBytes(copying: [UInt8](repeating: 4, count: 32))
    await expectFailure(.keyMismatch) {
      try store.edit { (configs) throws(SessionError) in
        try configs.profile.updatePro(at: now) {
          $0.renews = false
          $0.credential = ProfilePro.Credential(proof, seed: other)
        }
      }
    }
    let same = try store.read { (configs) throws(SessionError) in try configs.profile.pro(at: now) }
    #expect(same == pro)
    let gone = try store.edit { (configs) throws(SessionError) in
      try configs.profile.updatePro(at: now) { $0.credential = nil }
      return try configs.profile.pro(at: now)
    }
    #expect(gone.credential == nil)
  }

  @Test func featuresOfProAreRemembered() throws {
    let store = try ConfigStore(account)
    let link = try CommunityLink(parsing: "https://example.org/Room?public_key=\(Example.server)")
    let blinded = try SessionID(.blinded25, key: [UInt8](repeating: 1, count: 32))
    let features = MessagePro.ProfileFeatures([.badge, .animatedPicture])
    try store.edit { (configs) throws(SessionError) in
      try configs.profile.update(at: now) { $0.features = features }
      try configs.contacts.update(friend) { $0.features = .badge }
      try configs.contacts.updateBlinded(blinded, at: link) { $0.features = features }
    }
    let dumps = try store.dumps(at: now)
    try ConfigStore(account, dumps: dumps).edit { (configs) throws(SessionError) in
      #expect(try configs.profile.get().features == features)
      #expect(try configs.contacts[friend]?.features == .badge)
      #expect(try configs.contacts.blinded(blinded, server: link.server)?.features == features)
      try configs.profile.update(at: now) { $0.features.remove(.badge) }
      #expect(try configs.profile.get().features == .animatedPicture)
    }
  }
}
