import SessionCore
import SessionNetworking
import SessionStorage
import Testing

@testable import SessionMessaging

/// Every device drops what is older than the deletion of a conversation, and nothing else, whenever it learns of it.
@Suite struct DeletionTimeTests {
  private static let hour: Int64 = 3_600_000

  /// Alice has two devices and two friends; a stranger has no device.
  private struct Scene {
    let world: World
    let phone: Messenger
    let desk: Messenger
    let bob: Messenger
    let carol: Messenger
    let stranger: Account

    func write(_ body: String, from sender: Account) throws {
      let message = try Message(
        .visible(VisibleMessage(body: body)), sentAt: MessageTime(milliseconds: UInt64(world.clock.now)))
      world.swarms.put(try sender.encode(message, for: .contact(phone.id)), to: phone.id)
    }

    func wait(hours: Int64 = 1) { world.clock.advance(by: hours * hour) }

    /// Changes the contacts of Alice with something else.
    func renameCarol(_ name: String) async throws {
      try await phone.setNickname(name, of: carol.id)
      try await world.settle()
    }
  }

  private func withScene(_ body: (Scene) async throws -> Void) async throws {
    try await withAliceAndBob { (world, phone, bob) async throws in
      let desk = try await world.device(of: phone.context.account)
      let carol = try await world.device(of: .generate(), name: "Carol")
      try await phone.send("Hello Carol", to: carol.id)
      try await world.settle()
      try await carol.send("Hello Alice", to: phone.id)
      try await world.settle()
      try await body(
        Scene(world: world, phone: phone, desk: desk, bob: bob, carol: carol, stranger: .generate()))
    }
  }

  // MARK: Messages that come after the news of the deletion

  @Test func aRestoredDeviceKeepsTheTimeAtWhichItLearnedOfHiding() async throws {
    try await withScene { scene in
      let (world, phone, bob) = (scene.world, scene.phone, scene.bob)
      scene.wait()
      try await phone.setHidden(true, .person(bob.id))
      try await world.settle()
      let tablet = try await world.device(of: phone.context.account)
      try await world.settle()
      #expect(try await tablet.conversation(.person(bob.id))?.isHidden != false)
      scene.wait()
      // Another change reaches the devices before the message does.
      world.swarms.failNamespaces([.messages])
      try await bob.send("Still there?", to: phone.id)
      try await world.settle()
      scene.wait()
      try await scene.renameCarol("C")
      world.swarms.failNamespaces([])
      try await world.settle()
      for device in [phone, scene.desk, tablet] {
        #expect(try await device.bodies(in: bob.id).last == "Still there?")
        #expect(try await device.conversations().map(\.id).contains(.person(bob.id)))
      }
    }
  }

  /// Also if another client changes the declined contact itself.
  @Test(arguments: [true, false])
  func declinedPeopleMayAskAgainAfterTheirTombstoneIsForgotten(changesContact: Bool) async throws {
    try await withScene { scene in
      let (world, phone, id) = (scene.world, scene.phone, scene.stranger.id)
      try scene.write("May I?", from: scene.stranger)
      try await world.settle()
      try await phone.declineRequest(.person(id))
      try await world.settle()
      for _ in 0..<4 {
        scene.wait(hours: 10 * 24)
        try await world.settle()
      }
      let address = id.address
      for device in [phone, scene.desk] {
        let tombstone = try await device.context.database.read { try $0.tombstone(of: address) }
        #expect(tombstone == nil)
      }
      world.swarms.failNamespaces([.messages])
      try scene.write("May I now?", from: scene.stranger)
      scene.wait()
      if changesContact {
        try await phone.author.edit { configs, _ in
          try configs.contacts.update(id) { $0.nickname = "Stranger" }
        } writing: { _, _, _ in
        }
        try await world.settle()
      } else {
        try await scene.renameCarol("C")
      }
      world.swarms.failNamespaces([])
      try await world.settle()
      for device in [phone, scene.desk] {
        #expect(try await device.requests().map(\.id) == [.person(id)])
        #expect(try await device.bodies(in: id) == ["May I now?"])
      }
    }
  }

  @Test func deletedPeopleWhoWroteSinceAreRequestsOnADeviceThatWasOffline() async throws {
    try await withScene { scene in
      let (world, phone, bob) = (scene.world, scene.phone, scene.bob)
      await scene.desk.suspend()
      scene.wait()
      try await phone.deleteConversation(.person(bob.id))
      try await world.settle()
      scene.wait(hours: 24)
      try await bob.send("Still there?", to: phone.id)
      try await world.settle()
      scene.wait(hours: 24)
      try await scene.renameCarol("C")
      await scene.desk.resume()
      try await world.settle()
      for device in [phone, scene.desk] {
        #expect(try await device.requests().map(\.id) == [.person(bob.id)])
        #expect(try await device.bodies(in: bob.id) == ["Still there?"])
      }
    }
  }

  // MARK: Messages that come before the news of the deletion

  /// Also if the contacts changed again since.
  @Test(arguments: [true, false])
  func aDeletionTakesNothingThatWasSentAfterIt(contactsChangeAgain: Bool) async throws {
    try await withScene { scene in
      let (world, phone, desk, bob) = (scene.world, scene.phone, scene.desk, scene.bob)
      scene.wait()
      try await world.settle()
      world.swarms.failNamespaces([.contacts])
      try await phone.deleteConversation(.person(bob.id))
      try await world.settle()
      scene.wait()
      try await bob.send("Still there?", to: phone.id)
      try await world.settle()
      #expect(try await desk.bodies(in: bob.id) == ["Hello Bob", "Hello Alice", "Still there?"])
      scene.wait()
      if contactsChangeAgain { try await scene.renameCarol("C") }
      world.swarms.failNamespaces([])
      let cursor = try await desk.events(limit: 1000).last?.id ?? .start
      try await world.settle()
      for device in [phone, desk] {
        #expect(try await device.requests().map(\.id) == [.person(bob.id)])
        #expect(try await device.bodies(in: bob.id) == ["Still there?"])
        #expect(try await device.contacts().filter(\.isApproved).map(\.id) == [scene.carol.id])
      }
      let told = try await desk.events(after: cursor, limit: 1000).map(\.kind)
      // Both messages, and the note that the request was accepted.
      #expect(told.filter { $0 == .messageDeleted }.count == 3)
      #expect(told.contains(.requestReceived) && !told.contains(.conversationDeleted))
      try await desk.acceptRequest(.person(bob.id))
      try await world.settle()
      for device in [phone, desk] {
        #expect(try await device.conversations().map(\.id).contains(.person(bob.id)))
      }
    }
  }

  @Test func decliningTakesNothingThatWasSentAfterIt() async throws {
    try await withScene { scene in
      let (world, phone, desk, id) = (scene.world, scene.phone, scene.desk, scene.stranger.id)
      try scene.write("May I?", from: scene.stranger)
      try await world.settle()
      scene.wait()
      world.swarms.failNamespaces([.contacts])
      try await phone.declineRequest(.person(id))
      try await world.settle()
      await phone.suspend()
      scene.wait()
      try scene.write("May I now?", from: scene.stranger)
      try await world.settle()
      #expect(try await desk.bodies(in: id) == ["May I?", "May I now?"])
      world.swarms.failNamespaces([])
      try await world.settle()
      #expect(try await desk.bodies(in: id) == ["May I now?"])
      #expect(try await desk.requests().map(\.id) == [.person(id)])
      await phone.resume()
      try await world.settle()
      for device in [phone, desk] {
        #expect(try await device.bodies(in: id) == ["May I now?"])
        #expect(try await device.requests().map(\.id) == [.person(id)])
      }
    }
  }

  /// However long the device took to store them, and however often the contacts changed afterwards.
  @Test func messagesThatCameWithTheContactsAreDeletedWithTheConversation() async throws {
    try await withScene { scene in
      let (world, phone, desk, bob) = (scene.world, scene.phone, scene.desk, scene.bob)
      try await bob.send("Are you there?", to: phone.id)
      try await bob.waitUntilIdle()
      world.clock.tick(true)
      #expect(await desk.poll())
      world.clock.tick(false)
      await desk.suspend()
      #expect(try await desk.bodies(in: bob.id).last == "Are you there?")
      try await scene.renameCarol("C")
      try await phone.deleteConversation(.person(bob.id))
      try await world.settle()
      await desk.resume()
      try await world.settle()
      for device in [phone, desk] {
        #expect(try await !device.conversations().map(\.id).contains(.person(bob.id)))
        #expect(try await device.requests().isEmpty)
      }
    }
  }

  @Test func whatWeSentAfterTheDeletionKeepsTheConversation() async throws {
    try await withScene { scene in
      let (world, phone, desk, bob) = (scene.world, scene.phone, scene.desk, scene.bob)
      world.swarms.failNamespaces([.contacts])
      try await phone.deleteConversation(.person(bob.id))
      try await world.settle()
      scene.wait()
      try await desk.send("from my desk", to: bob.id)
      try await world.settle()
      world.swarms.failNamespaces([])
      try await world.settle()
      for device in [phone, desk] {
        #expect(try await device.bodies(in: bob.id) == ["from my desk"])
        #expect(try await device.conversations().map(\.id).contains(.person(bob.id)))
        #expect(try await device.requests().isEmpty)
      }
    }
  }
}
