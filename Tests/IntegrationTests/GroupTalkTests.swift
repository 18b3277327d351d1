import Foundation
import SessionCore
import SessionMessaging
import SessionNetworking
import Testing

/// People talk in a group that another client of theirs has made, over real nodes.
@Suite(.serialized, .timeLimit(.minutes(5))) struct GroupTalkTests {
  private let alice: Account
  private let bob: Account
  private let key: GroupAdminKey
  private var group: Conversation.ID { .group(key.group) }

  init() throws {
    (alice, bob) = (try Account.generate(), try Account.generate())
    key = try GroupAdminKey(seed: SecretBytes(copying: (0..<32).map { _ in UInt8.random(in: 0...255) }))
  }

  @Test func membersAndAdminsReadEachOther() async throws {
    try await withTown { (town) async throws in
      try await town.withSwarms { swarms in try await found(in: swarms) }
      let admin = try await town.device(of: alice)
      let member = try await town.device(of: bob)
      for device in [admin, member] {
        _ = try await device.when { try await $0.conversation(group) }
        _ = try await device.when { try await $0.group(group)?.memberCount == 2 ? true : nil }
      }
      #expect(try await admin.group(group)?.isAdmin == true)
      #expect(try await member.group(group)?.isAdmin == false)
      let question = try await admin.send("Who brings the tent?", to: group)
      let asked = try await message("Who brings the tent?", at: member)
      #expect(!asked.isOutgoing)
      try await member.send(OutgoingText("I do", answering: asked.id), to: group)
      let answer = try await message("I do", at: admin)
      #expect(answer.quoted?.body == "Who brings the tent?")
      // A device that is new reads all of it.
      let other = try await town.device(of: bob)
      #expect(try await message("I do", at: other).isOutgoing)
      #expect(try await !message("Who brings the tent?", at: other).isOutgoing)
      try await admin.waitUntilIdle()
      #expect(try await admin.message(question)?.state == .sent)
    }
  }

  private func message(_ body: String, at device: Messenger) async throws -> MessageView {
    try await device.when { device in
      guard try await device.conversation(group) != nil else { return nil }
      return try await device.messages(in: group).first { $0.body == body }
    }
  }

  /// Puts the configs of the group, and those of its members, where a client would that had made it.
  private func found(in swarms: NetworkSwarms) async throws {
    let now = try MessageTime(milliseconds: UInt64(Date.now.timeIntervalSince1970 * 1000))
    let (first, second) = (try ConfigStore(alice), try ConfigStore(bob))
    try first.edit { configs in
      try configs.groups.update(key.group) { entry in
        entry.name = "Trip"
        entry.adminSeed = key.seed
        entry.membership.joinedAtSeconds = Int64(now.seconds)
      }
      try configs.openGroup(key.group, adminSeed: key.seed)
      try configs.withGroup(key.group) { (group) throws(SessionError) in
        try group.updateInfo { $0.name = "Trip" }
        for id in [alice.id, bob.id] { try group.updateMember(id) { $0.note(.inviteAccepted) } }
        try group.updateMember(alice.id) { $0.note(.promotionAccepted) }
        try group.rekey()
      }
    }
    let access = try key.grantAccess(to: bob.id)
    try second.edit { configs in
      try configs.groups.update(key.group) { entry in
        entry.name = "Trip"
        entry.access = access
        entry.membership.joinedAtSeconds = Int64(now.seconds)
      }
    }
    try await push(first, of: alice.id, as: .account(alice), through: swarms, at: now)
    try await push(first, of: key.group, as: .admin(key), through: swarms, at: now)
    try await push(second, of: bob.id, as: .account(bob), through: swarms, at: now)
  }

  private func push(
    _ store: ConfigStore, of owner: SessionID, as signer: Storage.Signer, through swarms: NetworkSwarms,
    at now: MessageTime
  ) async throws {
    let batch = try #require(store.pendingPushes(in: owner, at: now))
    let steps = batch.pushes.flatMap { push in
      push.messages.map { SwarmStep.store(SwarmItem($0, in: push.namespace, for: .seconds(86_400))) }
    }
    try await swarms.perform(steps, in: owner, as: signer).check()
  }
}
