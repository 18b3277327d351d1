import Foundation
import SeededNumbers
import SessionCore
import SessionNetworking
import SessionStorage
import Testing

@testable import SessionMessaging

/// A member who is no admin, with an old device, stores whatever they can in the swarm of a group.
@Suite struct HostileMemberTests {
  private static let acts = ProcessInfo.processInfo.environment["SOAK"] == nil ? 150 : 5000

  /// Makes hostile messages from a seed.
  private struct Hostility {
    let world: World
    let group: SessionID
    let member: Messenger
    /// The key of the group that an old device still has.
    let oldKey: SecretBytes
    let adminKey: GroupAdminKey
    /// The keys of the group, as the member keeps them.
    let keys: [UInt8]
    let people: [SessionID]
    /// Another group, of the member's own.
    let foreign: WorldGroup
    /// The accounts of the other members. A hostile member can seal and store their messages again, since the signature
    /// inside is the author's.
    let others: [Account]
    var random: SeededGenerator

    private mutating func pick<T>(_ choices: [T]) -> T {
      choices[Int.random(in: 0..<choices.count, using: &random)]
    }

    private mutating func bytes() -> [UInt8] {
      (0..<Int.random(in: 0..<400, using: &random)).map { _ in UInt8.random(in: 0...255, using: &random) }
    }

    private mutating func person() -> SessionID { pick(people) }

    /// An update that tells of a change which its sender did not make.
    private mutating func claim() throws -> GroupUpdate {
      let hashes = world.swarms.kept(group, in: .groupMessages).map(\.hash)
      return switch Int.random(in: 0..<4, using: &random) {
      case 0: .infoChange(pick([.name("Mine"), .name(nil), .picture, .disappearing(seconds: 1)]))
      case 1: .memberChange(try GroupMemberChange(pick([.added, .removed, .promoted]), members: [person()]))
      case 2: .contentDeletion(try GroupContentDeletion(ofMembers: [person()]))
      default:
        .contentDeletion(
          try hashes.isEmpty
            ? GroupContentDeletion(ofMembers: [person()])
            : GroupContentDeletion(messageHashes: [pick(hashes)]))
      }
    }

    /// Seals a message by the member, or by somebody who got a key from them.
    private mutating func put(_ content: MessageContent, at time: Int64) throws {
      // A device that has lost the group uses the key that it has.
      let newest = try member.author.messageKey(of: group) ?? oldKey
      let key = pick([newest, newest, oldKey])
      let message = try Message(content, sentAt: MessageTime(milliseconds: UInt64(time)))
      world.swarms.put(
        try member.context.account.encode(message, for: .group(group, key: key)), to: group,
        in: .groupMessages)
    }

    mutating func act() throws {
      let now = world.clock.now + Int64.random(in: -5000...5000, using: &random)
      let time = try MessageTime(milliseconds: UInt64(now))
      switch Int.random(in: 0..<12, using: &random) {
      case 0:
        // Without a signature, as far as a message can be made like that.
        let update = try claim()
        if let unsigned = try? GroupUpdateMessage(update) { try put(.groupUpdate(unsigned), at: now) }
      case 1:
        let signed = try GroupUpdateMessage(signing: try claim(), with: foreign.key, sentAt: time)
        try put(.groupUpdate(signed), at: now)
      case 2:
        // The signature of an admin's message covers the type and the time alone.
        let update = try claim()
        guard [.groupInfoChange, .groupMemberChange].contains(update.kind) else { return }
        try put(.groupUpdate(GroupUpdateMessage(signing: update, with: adminKey, sentAt: time)), at: now)
      case 3:
        // A signature for another time.
        let other = try MessageTime(milliseconds: UInt64(now + 1))
        try put(
          .groupUpdate(GroupUpdateMessage(signing: try claim(), with: adminKey, sentAt: other)), at: now)
      case 4:
        try put(.groupUpdate(GroupUpdateMessage(pick([.inviteResponse, .memberLeftNotification]))), at: now)
      case 5: world.swarms.put(bytes(), to: group, in: pick(namespaces))
      case 6:
        // A stored message, in another namespace or damaged.
        let owner = pick([group, foreign.id])
        var copy = pick(namespaces.flatMap { world.swarms.kept(owner, in: $0) }).data
        if Bool.random(using: &random), !copy.isEmpty {
          copy[Int.random(in: 0..<copy.count, using: &random)] ^= 1 << UInt8.random(in: 0..<8, using: &random)
        }
        world.swarms.put(copy, to: group, in: pick(namespaces))
      case 7:
        let notice = try foreign.key.seal(KickNotice(generation: 1 << 40), for: people)
        world.swarms.put(notice, to: group, in: .groupRemovals)
      case 8: try putConfigs(at: time)
      case 9: try repeatMessage()
      case 10:
        // What belongs into the swarms of people.
        let offer = try GroupInvite(
          to: foreign.id, name: "Mine", authData: foreign.key.grantAccess(to: person()))
        let invite = try GroupUpdateMessage(
          signing: .invite(offer), with: foreign.key, sentAt: time, invitee: person())
        let promotion = try GroupUpdateMessage(.promotion(GroupPromotion(with: foreign.key, name: "Mine")))
        try putEnvelope(of: Message(.groupUpdate(pick([invite, promotion])), sentAt: time), at: now)
      default: try put(.visible(VisibleMessage(body: "rubbish \(random.next())")), at: now)
      }
    }

    /// Seals a message that our own clients send elsewhere.
    private func putEnvelope(of message: Message, at time: Int64) throws {
      let envelope = try [0x08, 7, 0x28] + varint(UInt64(time)) + field(0x42, message.bytes())
      let key = try member.author.messageKey(of: group) ?? oldKey
      world.swarms.put(
        try member.context.account.seal(envelope, forGroup: group, key: key), to: group, in: .groupMessages)
    }

    /// Seals a message of another member again, which has another hash then.
    private mutating func repeatMessage() throws {
      let opening = try member.author.openingKeys(of: group) + [oldKey]
      let author = pick(others)
      let stored = world.swarms.kept(group, in: .groupMessages).compactMap { kept in
        try? member.context.account.decode(kept.data, from: .group(group, keys: opening))
      }.filter { $0.sender == author.id && $0.message.content.kind == .visible }
      guard !stored.isEmpty else { return }
      world.swarms.put(
        try author.encode(pick(stored).message, for: .group(group, key: pick(opening))), to: group,
        in: .groupMessages)
    }

    /// Puts configs that are sealed with the group's key but signed with another one.
    private mutating func putConfigs(at time: MessageTime) throws {
      let revision = Int.random(in: 1...60, using: &random)
      let store = try ConfigStore(member.context.account)
      let dumps = [
        ConfigDump(ConfigName(.groupKeys, of: foreign.id), content: keys),
        CraftedConfig.dump(
          ConfigName(.groupInfo, of: foreign.id), data: Array("d1:!i1e1:n4:Minee".utf8), revision: revision),
        CraftedConfig.dump(
          ConfigName(.groupMembers, of: foreign.id), data: Array("de".utf8), revision: revision),
      ]
      try store.edit { configs in
        try configs.openGroup(foreign.id, adminSeed: foreign.key.seed, dumps: dumps)
      }
      try #require(store.damaged.isEmpty)
      let pushes = try #require(store.pendingPushes(in: foreign.id, at: time)).pushes
      try #require(pushes.count == 2)
      for push in pushes {
        for message in push.messages { world.swarms.put(message, to: group, in: push.namespace) }
      }
    }

    private let namespaces: [StorageNamespace] = [
      .groupMessages, .groupKeys, .groupInfo, .groupMembers, .groupRemovals,
    ]
  }

  @Test(arguments: 1...3 as ClosedRange<UInt64>) func onlyAdminsChangeAGroup(seed: UInt64) async throws {
    try await withCreatedGroup { (world, group, alice, bob) async throws in
      let carol = try await world.device(of: .generate(), name: "Carol")
      try await carol.send("Hello", to: alice.id)
      try await world.settle()
      let oldKey = try #require(try bob.author.messageKey(of: group.groupID))
      try await alice.invite([carol.id], to: group)
      try await world.settle(rounds: 5)
      let foreign = try WorldGroup()
      try await foreign.found(by: bob, with: [alice.id])
      try await alice.send("Hers", to: group)
      try await carol.send("Carol's", to: group)
      try await world.settle(rounds: 6)
      let adminKey = try #require(try alice.author.key(of: group.groupID))
      let members = try await alice.members(of: group)
      try #require(Set(members.map(\.status)) == [.promotionAccepted, .inviteAccepted])
      let details = try #require(try await carol.group(group))
      let notes = try await carol.notes(in: group)
      let generation = try alice.author.generation(of: group.groupID)

      let keys = try await bob.context.database.read { transaction in
        try transaction.configDumps().first { $0.owner == group.groupID.address && $0.kind == "groupKeys" }
      }
      var hostility = Hostility(
        world: world, group: group.groupID, member: bob, oldKey: oldKey, adminKey: adminKey,
        keys: try #require(keys).content,
        people: [alice.id, bob.id, carol.id, try Account.generate().id], foreign: foreign,
        others: [alice.context.account, carol.context.account],
        random: SeededGenerator(seed: seed))
      for number in 1...Self.acts {
        try hostility.act()
        if number % 25 == 0 { try await world.settle(rounds: 1) }
      }
      try await world.settle(rounds: 6)

      for device in [alice, bob, carol] {
        guard try await device.conversation(group) != nil else {
          Issue.record("a device has lost the group")
          continue
        }
        let seen = try await device.members(of: group)
        #expect(seen.map(\.id) == members.map(\.id) && seen.map(\.status) == members.map(\.status))
        let texts = try await device.texts(in: group)
        for text in ["Hers", "Carol's"] { #expect(texts.filter { $0 == text }.count == 1) }
      }
      #expect(try await carol.group(group) == details)
      #expect(try alice.author.generation(of: group.groupID) == generation)
      // All that a member may tell of is that they leave.
      let told = Set(try await carol.notes(in: group).filter { !notes.contains($0) })
      #expect(told.isSubset(of: [.members(.left, [bob.id])]))
      // Nothing is held up.
      try await alice.update(group) { $0.name = "Journey" }
      try await alice.send("The end", to: group)
      try await world.settle(upTo: 10) { try await carol.texts(in: group).contains("The end") }
      #expect(try await carol.texts(in: group).contains("The end"))
      #expect(try await carol.group(group)?.name == "Journey")
    }
  }
}
