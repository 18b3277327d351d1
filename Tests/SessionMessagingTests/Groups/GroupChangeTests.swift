import SessionCore
import SessionNetworking
import SessionStorage
import Testing

@testable import SessionMessaging

/// Alice created a group, and Bob joined it.
func withCreatedGroup(
  _ body: (World, Conversation.ID, _ alice: Messenger, _ bob: Messenger) async throws -> Void
) async throws {
  try await withAliceAndBob { (world, alice, bob) async throws in
    let group = try await alice.createGroup(GroupDraft(name: "Trip", members: [bob.id]))
    try await world.settle(rounds: 5)
    try await body(world, group, alice, bob)
  }
}

/// An admin changes the details of a group.
@Suite(.timeLimit(.minutes(5))) struct GroupChangeTests {
  @Test func allMembersSeeAnotherNameDescriptionAndTimer() async throws {
    try await withCreatedGroup { (world, group, alice, bob) async throws in
      try await alice.update(group) { details in
        details.name = "Journey"
        details.description = "To the mountains"
        details.timerSeconds = 60
      }
      #expect(try await alice.notes(in: group).suffix(2) == [.renamed("Journey"), .timerChanged])
      try await world.settle()
      let his = try #require(try await bob.group(group))
      #expect(his.name == "Journey" && his.description == "To the mountains" && his.timerSeconds == 60)
      let kept = world.swarms.kept(group.groupID, in: .groupMessages)
      let kinds = kept.compactMap { try? opened($0.data, in: group, by: bob).message.content.kind }
      #expect(kinds.count { $0 == .groupInfoChange } == 2)
    }
  }

  @Test func changesWithoutEffectDoNothing() async throws {
    try await withCreatedGroup { (world, group, alice, _) async throws in
      // Requests that only delete obsolete configs may still follow the creation.
      let stores = { world.swarms.attempts(in: group.groupID).count { !$0.items.isEmpty } }
      let before = stores()
      try await alice.update(group) { $0.name = " Trip " }
      try await world.settle()
      #expect(stores() == before)
      #expect(try await alice.notes(in: group).count == 1)
    }
  }

  @Test func onlyAdminsChangeAnything() async throws {
    try await withCreatedGroup { (_, group, _, bob) async throws in
      let stranger = try Account.generate().id
      await expectFailure(.notAdmin) { try await bob.update(group) { $0.name = "Mine" } }
      await expectFailure(.notAdmin) { try await bob.invite([stranger], to: group) }
      await expectFailure(.notAdmin) { try await bob.promote([stranger], in: group) }
      await expectFailure(.notAdmin) { try await bob.remove([stranger], from: group) }
      await expectFailure(.notAdmin) { try await bob.clear(group, .messages, before: .max) }
      await expectFailure(.notAdmin) { try await bob.setPicture(nil, of: group) }
      await expectFailure(.notAdmin) { try await bob.deleteForEveryone(group) }
      let unknown = Conversation.ID.group(try GroupAdminKey(seed: .random(count: 32)).group)
      await expectFailure(.noGroup) { try await bob.leave(unknown) }
      await expectFailure(.invalidRecipient) { try await bob.leave(.person(stranger)) }
    }
  }

  /// Errors say what to do.
  @Test func errorsAdvise() async throws {
    try await withCreatedGroup { (world, group, alice, bob) async throws in
      func advice(_ action: () async throws -> Void) async -> String? {
        do {
          try await action()
          return nil
        } catch { return "\(error)" }
      }
      let many = try (0..<100).map { _ in try Account.generate().id }
      #expect(await advice { try await alice.invite(many, to: group) }?.contains("invite fewer") == true)
      let id = try await alice.send("Hers", to: group)
      world.swarms.setReachable(false)
      let new = try await alice.createGroup(GroupDraft(name: "New"))
      #expect(await advice { try await alice.update(new) { $0.name = "" } }?.contains("in a moment") == true)
      world.swarms.setReachable(true)
      try await world.settle(upTo: 20) { try await alice.row(id).state == .sent }
      try await world.settle()
      let message = try #require(try await bob.messages(in: group).first { $0.body == "Hers" }).id
      #expect(
        await advice { try await bob.delete(message, .forEveryone) }?.contains("on this device only") == true)
      #expect(await advice { try await bob.update(group) { $0.name = "His" } }?.contains("ask one") == true)
      try await alice.deleteForEveryone(group)
      try await world.settle(rounds: 5)
      #expect(await advice { try await bob.leave(group) }?.contains("delete its conversation") == true)
    }
  }

  @Test func badNamesChangeNothing() async throws {
    try await withCreatedGroup { (_, group, alice, _) async throws in
      await expectFailure(.invalidName) { try await alice.update(group) { $0.name = "" } }
      await expectFailure(.invalidName) {
        try await alice.update(group) { $0.name = String(repeating: "a", count: 101) }
      }
      await expectFailure(.notAllowed) {
        try await alice.update(group) { $0.description = String(repeating: "a", count: 2001) }
      }
      #expect(try await alice.group(group)?.name == "Trip")
    }
  }

  @Test func picturesReachAllMembers() async throws {
    try await withCreatedGroup { (world, group, alice, bob) async throws in
      let picture = png(4, 4, noise(100))
      try await alice.setPicture(picture, of: group)
      try await world.settle(rounds: 5)
      #expect(try await alice.picture(of: group) != nil)
      #expect(try await bob.picture(of: group) == alice.picture(of: group))
      #expect(try await alice.notes(in: group).last == .pictureChanged)
      try await alice.setPicture(nil, of: group)
      try await world.settle()
      #expect(try await alice.picture(of: group) == nil)
      #expect(try await bob.picture(of: group) == nil)
    }
  }

  @Test func aRemovedPictureDoesNotComeBackWithASlowUpload() async throws {
    try await withCreatedGroup { (world, group, alice, bob) async throws in
      world.files.decide { _ in .held }
      try await alice.setPicture(png(4, 4, noise(100)), of: group)
      await world.files.untilHeld()
      try await alice.setPicture(nil, of: group)
      world.files.decide { _ in .done }
      world.files.release()
      try await world.settle(rounds: 5)
      for device in [alice, bob] {
        #expect(try await device.picture(of: group) == nil)
        #expect(try await device.notes(in: group).contains(.pictureChanged) == false)
      }
    }
  }

  @Test func aReplacedPictureIsNotPublishedByASlowUpload() async throws {
    try await withCreatedGroup { (world, group, alice, bob) async throws in
      world.files.decide { _ in .held }
      try await alice.setPicture(png(4, 4, noise(100)), of: group)
      await world.files.untilHeld()
      let second = png(8, 8, noise(200))
      try await alice.setPicture(second, of: group)
      world.files.decide { _ in .done }
      world.files.release()
      try await world.settle(rounds: 6)
      #expect(try await bob.picture(of: group) == alice.picture(of: group))
      #expect(try await bob.picture(of: group)?.count == second.count)
      #expect(try await bob.notes(in: group).filter { $0 == .pictureChanged }.count == 1)
    }
  }

  @Test func newGroupsMayHaveAPicture() async throws {
    try await withAliceAndBob { (world, alice, bob) async throws in
      var draft = GroupDraft(name: "Trip", members: [bob.id])
      draft.picture = png(4, 4, noise(100))
      let group = try await alice.createGroup(draft)
      try await world.settle(rounds: 6)
      #expect(try await bob.picture(of: group) != nil)
      draft.picture = [1, 2, 3]
      await expectFailure(.fileUnavailable) { [draft] in _ = try await alice.createGroup(draft) }
      #expect(try await alice.groups().count == 1)
    }
  }

  private func opened(_ bytes: [UInt8], in group: Conversation.ID, by reader: Messenger) throws
    -> ReceivedMessage
  {
    try reader.context.account.decode(
      bytes, from: .group(group.groupID, keys: try reader.author.openingKeys(of: group.groupID)))
  }
}

extension Conversation.ID {
  /// The id of a group.
  var groupID: SessionID {
    guard case .group(let id) = self else { preconditionFailure("this is not a group") }
    return id
  }
}
