import SessionCore
import SessionJobs
import SessionNetworking
import SessionStorage
import Synchronization
import Testing

@testable import SessionMessaging

@Suite struct ReviewTests {
  private let token = [UInt8](repeating: 7, count: 36)

  /// A group id that is no key, which a device without this check stored.
  @Test func aGroupWithAnImpossibleIdStopsNothing() async throws {
    let world = World()
    let account = try Account.generate()
    try await withFolder { folder in
      let alice = try await world.start(
        Messenger.create(account, name: "Alice", in: folder, world.dependencies))
      try await world.settle()
      let laptop = try ConfigStore(account)
      let now = try alice.context.time()
      let friend = try Example.second().id
      let id = try SessionID(.group, key: [UInt8](repeating: 0xFF, count: 32))
      let access = try SecretBytes(copying: [UInt8](repeating: 3, count: 100))
      try laptop.edit { configs in
        try configs.groups.update(id) { group in
          group.name = "?"
          group.access = access
          group.membership.joinedAtSeconds = .max
          group.membership.mutedUntilSeconds = .max
        }
        try configs.contacts.update(friend) {
          $0.name = "Ann"
          $0.isApproved = true
          $0.createdAtSeconds = 1
        }
      }
      for push in laptop.pendingPushes(at: now).flatMap(\.pushes) {
        for message in push.messages { world.swarms.put(message, to: account.id, in: push.namespace) }
      }
      try await world.settle()
      let names = try await alice.contacts().map(\.name)
      #expect(names == ["Ann"])
      await world.stop(alice)
      let again = try await Messenger.open(folder, world.dependencies)
      await again.stop()
    }
    await world.stop()
  }

  /// A case that was built by hand reaches no conversation of another kind.
  @Test func casesBuiltByHandAreRefused() async throws {
    try await withGroup { (world, group, alice, bob) async throws in
      try group.say("secret", by: alice, in: world)
      try await world.settle()
      let wrong = Conversation.ID.person(group.id)
      await #expect { try await bob.messages(in: wrong) } throws: {
        MessengerError.Code.invalidRecipient ~= $0
      }
      await #expect { try await bob.conversation(wrong) } throws: {
        MessengerError.Code.invalidRecipient ~= $0
      }
      await #expect { try await bob.search("secret", in: wrong) } throws: {
        MessengerError.Code.invalidRecipient ~= $0
      }
      await #expect { try await bob.setDraft("x", in: wrong) } throws: {
        MessengerError.Code.invalidRecipient ~= $0
      }
      await #expect { try await bob.setDraft("x", in: .group(bob.id)) } throws: {
        MessengerError.Code.invalidRecipient ~= $0
      }
      #expect(try await bob.conversation(group.conversation)?.draft == nil)
    }
  }

  /// Who is removed while a message waits for a key learns it at once.
  @Test func aMessageThatWaitsForAKeyFailsWhenWeAreRemoved() async throws {
    try await withGroup { (world, group, alice, bob) async throws in
      world.swarms.failNamespaces([.groupKeys])
      try await group.rekey(by: alice)
      let id = try await alice.send("too late", to: group.conversation)
      try await world.settle()
      #expect(try await alice.message(id)?.state == .sending)
      try await group.kick(alice)
      try await world.settle()
      #expect(try await alice.message(id)?.state == .failed("you are not in this group any more"))
    }
  }

  /// A timer of a group without measure.
  @Test(arguments: [Int64.max, Int64.max / 1000, 1 << 40]) func anEndlessTimerIsBounded(seconds: Int64)
    async throws
  {
    try await withGroup { (world, group, alice, bob) async throws in
      try await alice.author.edit { [group] configs, _ in
        try configs.withGroup(group.id) { (group) throws(SessionError) in
          try group.updateInfo { $0.disappearsAfterSeconds = seconds }
        }
      } writing: { _, _, _ in
      }
      try await world.settle()
      let id = try await bob.send("still here", to: group.conversation)
      try await world.settle()
      #expect(try await bob.message(id)?.state == .sent)
      #expect(try await group.bodies(bob) == ["still here"])
      #expect(try await bob.conversations().contains { $0.id == group.conversation })
    }
  }
}
