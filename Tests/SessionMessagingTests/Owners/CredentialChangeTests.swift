import SessionCore
import SessionNetworking
import SessionStorage
import Testing

@testable import SessionJobs
@testable import SessionMessaging

/// Every kind of job that signs looks up its credentials at each attempt, and no kind of job stores any.
@Suite(.timeLimit(.minutes(5))) struct CredentialChangeTests {
  /// The credentials with which a kind of job signs in the swarm of an owner.
  private enum Signing: String {
    /// Nothing: it works on rows, configs and files, or seals with the key of the account.
    case nothing
    /// The key of the account, which never changes.
    case account
    /// Our rights in the swarm of the owner, which may be a group, whatever they are.
    case rights
    /// The same, but only those of an admin.
    case adminRights
    /// Our rights as well, in a single attempt.
    case rightsOnce
    /// The key of a group that no other device knows yet.
    case newGroup
  }

  private static let table: [String: Signing] = [
    AttachmentDownload.kind: .nothing, AttachmentSending.kind: .nothing, AttachmentUpload.kind: .nothing,
    BundleFetching.kind: .nothing, BundlePublishing.kind: .account, RatchetUpkeep.kind: .nothing,
    BrokenMessage.kind: .nothing, LateSealing.kind: .nothing, LogEmptying.kind: .nothing,
    ConfigRestoring.kind: .rights, ConfigSync.kind: .adminRights, Delivery.kind: .rights,
    DisappearingSweep.kind: .nothing, ExpiryShortening.kind: .account, FileSweeping.kind: .nothing,
    GroupClearing.kind: .nothing, GroupCreation.kind: .newGroup, GroupDestroying.kind: .rightsOnce,
    GroupInviting.kind: .nothing, GroupLeaving.kind: .rights, GroupPictureDownload.kind: .nothing,
    GroupPictureUpload.kind: .nothing, GroupPromoting.kind: .nothing, GroupRemoval.kind: .nothing,
    GroupRevocation.kind: .adminRights, KeptInvitation.kind: .nothing, MemberMarks.kind: .nothing,
    PictureDownload.kind: .nothing, PictureKeeping.kind: .nothing, PictureUpload.kind: .nothing,
    ReceiptSending.kind: .nothing, RoomChange.kind: .nothing, RoomPictureDownload.kind: .nothing,
    RoomJoining.kind: .nothing, SendLater.kind: .nothing,
    SwarmDeletion.kind: .adminRights, Upkeep.kind: .nothing,
  ]

  private static func kinds(_ signing: Signing...) -> [String] {
    table.filter { signing.contains($0.value) }.keys.sorted()
  }

  @Test func everyKindOfJobIsInTheTable() async throws {
    try await withAliceAndBob(areFriends: false) { (_, alice, _) async throws in
      #expect(Set(Self.table.keys) == Set(await alice.runner.kinds))
    }
  }

  /// Requests a job of a kind that signs in the swarm of a group.
  private func request(_ kind: String, in group: WorldGroup, about person: SessionID, by messenger: Messenger)
    async throws
  {
    if kind == ConfigSync.kind {
      try await messenger.author.edit { [group] configs, _ in
        try configs.withGroup(group.id) { (group) throws(SessionError) in
          try group.updateInfo { $0.name = "Journey" }
        }
      } writing: { _, _, _ in
      }
      return
    }
    try await messenger.context.write { [context = messenger.context] transaction, now in
      let time = context.jobTime
      switch kind {
      case Delivery.kind:
        let message = try Message(.visible(VisibleMessage(body: "hello")), sentAt: now)
        let thread = try transaction.conversation(group.conversation)
        try transaction.requestNotice(message, sentAt: now.stored, to: group.id, in: thread.id, at: time)
      case ConfigRestoring.kind: try transaction.enqueue(ConfigRestoring(owner: group.id), at: time)
      case GroupLeaving.kind: try transaction.enqueue(GroupLeaving(group: group.id), at: time)
      case SwarmDeletion.kind:
        try transaction.enqueue(SwarmDeletion(hashes: ["hash"], owner: group.id), at: time)
      case GroupRevocation.kind:
        try transaction.enqueue(GroupRevocation(group: group.id, people: [person], until: .max), at: time)
      default: Issue.record("no such job: \(kind)")
      }
    }
  }

  /// Returns who signed the requests in the swarm of a group since some were made.
  private func signers(_ world: World, _ group: WorldGroup, after count: Int) -> [String] {
    world.swarms.attempts(in: group.id).dropFirst(count).map { "\($0.signer.map { "\($0)" } ?? "nobody")" }
  }

  private func admin(of group: WorldGroup) -> String { "Signer(an admin of \(group.id))" }
  private func member(of group: WorldGroup) -> String { "Signer(a member of \(group.id))" }

  /// Refuses everything in the swarm of a group, lets a job try, changes the credentials and lets it go on. Returns who
  /// signed before and after.
  private func attempts(
    of kind: String, _ world: World, _ group: WorldGroup, by messenger: Messenger, about person: SessionID,
    changing change: @escaping @Sendable (inout Group) throws -> Void
  ) async throws -> (before: [String], after: [String]) {
    let first = world.swarms.attempts(in: group.id).count
    world.swarms.decide { [group] swarm, _ in swarm == group.id ? .offline : .done }
    try await request(kind, in: group, about: person, by: messenger)
    try await world.settle(rounds: 1)
    let second = world.swarms.attempts(in: group.id).count
    try await messenger.author.edit { [group] configs, _ in
      try configs.groups.update(group.id) { try? change(&$0) }
    } writing: { _, _, _ in
    }
    // The change itself is pushed to our own swarm.
    world.swarms.decide { _, _ in .done }
    for _ in 0..<4 {
      world.clock.advance(by: 600_000)
      try await world.settle(rounds: 1)
    }
    let all = signers(world, group, after: first)
    return (Array(all.prefix(second - first)), Array(all.dropFirst(second - first)))
  }

  @Test(arguments: kinds(.rights, .adminRights)) func adminsWhoBecomeMembersSignAsMembers(kind: String)
    async throws
  {
    try await withGroup { (world, group, alice, bob) async throws in
      let access = try group.key.grantAccess(to: alice.id)
      let (before, after) = try await attempts(of: kind, world, group, by: alice, about: bob.id) { entry in
        (entry.adminSeed, entry.access) = (nil, access)
      }
      #expect(!before.isEmpty && Set(before) == [admin(of: group)])
      #expect(Set(after) == (Self.table[kind] == .rights ? [member(of: group)] : []))
      #expect(try await alice.jobs().jobs.allSatisfy { $0.kind != kind })
    }
  }

  @Test(arguments: kinds(.rights)) func membersWhoBecomeAdminsSignAsAdmins(kind: String) async throws {
    try await withGroup { (world, group, alice, bob) async throws in
      let seed = group.key.seed
      let (before, after) = try await attempts(of: kind, world, group, by: bob, about: alice.id) {
        $0.adminSeed = seed
      }
      #expect(!before.isEmpty && Set(before) == [member(of: group)])
      #expect(!after.isEmpty && Set(after) == [admin(of: group)])
      #expect(try await bob.jobs().jobs.allSatisfy { $0.kind != kind })
    }
  }

  @Test(arguments: kinds(.rights, .adminRights)) func removedMembersSignNothing(kind: String) async throws {
    try await withGroup { (world, group, alice, bob) async throws in
      let (before, after) = try await attempts(of: kind, world, group, by: alice, about: bob.id) {
        $0.markKicked()
      }
      #expect(!before.isEmpty && after.isEmpty)
      #expect(try await alice.jobs().jobs.allSatisfy { $0.kind != kind })
    }
  }

  @Test func noJobStoresSecrets() async throws {
    try await withGroup { (world, group, alice, bob) async throws in
      world.swarms.decide { [group] swarm, _ in swarm == group.id ? .offline : .done }
      for kind in Self.kinds(.rights, .adminRights) {
        try await request(kind, in: group, about: bob.id, by: alice)
      }
      try await world.settle(rounds: 1)
      let seed = group.key.seed.reveal()
      let payloads: [[UInt8]] = try await alice.context.database.read { transaction in
        try transaction.values("SELECT payload FROM job")
      }
      #expect(payloads.count >= Self.kinds(.rights, .adminRights).count)
      for payload in payloads.map({ String(decoding: $0, as: UTF8.self) }) {
        #expect(!payload.contains(seed.hex) && !payload.contains(seed.base64.prefix(20)))
      }
    }
  }
}

extension JobRunner {
  fileprivate var kinds: [String] { scheduler.catalogue.handlers.map(\.rules.kind) }
}
