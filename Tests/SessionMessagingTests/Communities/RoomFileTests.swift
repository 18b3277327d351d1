import SessionCore
import SessionNetworking
import SessionStorage
import TestCommunity
import Testing

@testable import SessionMessaging

/// Files in rooms, which are not encrypted.
@Suite(.timeLimit(.minutes(1))) struct RoomFileTests {
  private let picture = png(8, 8, noise(3000))

  private func withAlice(_ body: (CommunityWorld, Messenger) async throws -> Void) async throws {
    try await withCommunity { world in
      let alice = try await world.device(of: .generate())
      _ = try await alice.joinRoom(world.link)
      #expect(await world.poll(alice))
      try await body(world, alice)
    }
  }

  /// Another person in the room.
  private func reader(_ world: CommunityWorld) async throws -> Messenger {
    let bob = try await world.device(of: .generate())
    _ = try await bob.joinRoom(world.link)
    #expect(await world.poll(bob))
    return bob
  }

  private func file(_ world: CommunityWorld, _ messenger: Messenger) async throws -> AttachmentView {
    try #require(try await messenger.messages(in: world.conversation, limit: 1).first?.attachments.first)
  }

  private func settle(_ world: CommunityWorld, _ messenger: Messenger, _ id: MessageView.ID) async throws {
    try await world.world.settle(upTo: 20) { try await messenger.message(id)?.state == .sent }
  }

  @Test func aFileOfARoomIsReadByOthersInTheRoom() async throws {
    try await withAlice { world, alice in
      let sent = OutgoingFile(.bytes(picture), name: "duck.png")
      let id = try await alice.send(OutgoingText("look"), attachments: [sent], to: world.conversation)
      try await settle(world, alice, id)
      let (files, posted) = world.server.change { state in
        (state.files.values.map(\.bytes), state.rooms["lobby"]?.messages.map(\.files) ?? [])
      }
      // In the clear, and tied to its message.
      #expect(files == [picture] && posted.map(\.count) == [1])
      #expect(world.world.files.uploads == 0)
      let bob = try await reader(world)
      let received = try await file(world, bob)
      #expect(received.name == "duck.png" && received.state == .remote)
      try await bob.download(received.id)
      try await bob.waitUntilIdle()
      #expect(try await bob.content(of: received.id).bytes() == picture)
    }
  }

  @Test func anUploadThatWasNotPostedInTimeIsRepeated() async throws {
    try await withAlice { world, alice in
      world.server.decide { method, path in
        method == "POST" && path.hasSuffix("/message") ? .refused(500) : .asUsual
      }
      let file = OutgoingFile(.bytes(picture))
      let id = try await alice.send(OutgoingText(""), attachments: [file], to: world.conversation)
      try await world.world.settle()
      #expect(world.server.change { $0.files.count } == 1)
      world.world.clock.advance(by: 51 * 60_000)
      world.server.decide { _, _ in .asUsual }
      try await settle(world, alice, id)
      let (count, posted) = world.server.change { state in
        (state.files.count, state.rooms["lobby"]?.messages.flatMap(\.files) ?? [])
      }
      #expect(count == 2)
      #expect(posted == [world.server.change { $0.files.keys.max() ?? 0 }])
    }
  }

  @Test func anEditKeepsTheFiles() async throws {
    try await withAlice { world, alice in
      let file = OutgoingFile(.bytes(picture))
      let id = try await alice.send(OutgoingText("one"), attachments: [file], to: world.conversation)
      try await settle(world, alice, id)
      try await alice.edit(id, "two")
      try await alice.waitUntilIdle()
      let bob = try await reader(world)
      let shown = try #require(try await bob.messages(in: world.conversation, limit: 1).first)
      #expect(shown.body == "two" && shown.attachments.count == 1)
    }
  }

  @Test func filesAreNotSentWhereWeMayNotUpload() async throws {
    try await withAlice { world, alice in
      world.server.change { $0.rooms["lobby"]?.canUpload = false }
      #expect(await world.poll(alice))
      await #expect {
        try await alice.send(
          OutgoingText("x"), attachments: [OutgoingFile(.bytes(picture))], to: world.conversation)
      } throws: { MessengerError.Code.notAllowed ~= $0 }
    }
  }

  /// The server of another room, or a stranger's, would learn who reads this one.
  @Test(arguments: [
    "https://chat.example.org/room/other/file/1", "https://elsewhere.example.org/room/lobby/file/1",
    "https://elsewhere.example.org/file/1",
  ]) func filesElsewhereAreNeverAskedFor(address: String) async throws {
    try await withAlice { world, alice in
      let bob = try world.visitor()
      let attachment = try MessageAttachment(url: FileURL(parsing: address), pointer: nil, size: 5)
      let data = try bob.account.encode(
        Message(
          .visible(VisibleMessage(body: "", attachments: [attachment])),
          sentAt: MessageTime(milliseconds: UInt64(world.world.clock.now))), for: .community)
      _ = try await bob.call(.post(data, signature: bob.identity.sign(post: data), in: world.room))
      #expect(await world.poll(alice))
      let received = try await file(world, alice)
      #expect(received.state == .unusable)
      try await alice.download(received.id)
      try await alice.waitUntilIdle()
      #expect(!world.server.requests.contains { $0.contains("/file/") })
    }
  }

  @Test func aFileOfAnotherSizeIsNotKept() async throws {
    try await withAlice { world, alice in
      let file = OutgoingFile(.bytes(picture))
      let id = try await alice.send(OutgoingText(""), attachments: [file], to: world.conversation)
      try await settle(world, alice, id)
      world.server.change { state in
        for (number, file) in state.files { state.files[number] = (file.room, file.bytes + [0]) }
      }
      let bob = try await reader(world)
      let received = try await self.file(world, bob)
      try await bob.download(received.id)
      try await bob.waitUntilIdle()
      #expect(try await bob.attachment(received.id)?.state == .unusable)
    }
  }

  @Test func aRoomThatHadNoPictureForAMomentIsNotAskedMoreOften() async throws {
    try await withAlice { world, alice in
      let bytes = [picture, png(4, 4, noise(100))]
      for number in [100, nil, 101, nil, 102] as [Int64?] {
        world.server.change { state in
          if let number { state.files[number] = ("lobby", bytes[number == 100 ? 0 : 1]) }
          state.rooms["lobby"]?.imageID = number
          state.rooms["lobby"]?.infoUpdates += 1
        }
        #expect(await world.poll(alice))
        try await alice.waitUntilIdle()
      }
      #expect(world.server.requests.count { $0.contains("/file/") } == 1)
      world.world.clock.advance(by: 601_000)
      try await alice.waitUntilIdle()
      #expect(try await alice.picture(ofRoom: world.conversation) == bytes[1])
      #expect(world.server.requests.count { $0.contains("/file/") } == 2)
    }
  }

  @Test func thePictureOfARoomIsDownloadedAndNotTooOften() async throws {
    try await withAlice { world, alice in
      func set(_ number: Int64, _ bytes: [UInt8]) {
        world.server.change { state in
          state.files[number] = ("lobby", bytes)
          state.rooms["lobby"]?.imageID = number
          state.rooms["lobby"]?.infoUpdates += 1
        }
      }
      set(100, picture)
      #expect(await world.poll(alice))
      try await alice.waitUntilIdle()
      #expect(try await alice.picture(ofRoom: world.conversation) == picture)
      #expect(try await alice.room(world.conversation)?.hasPicture == true)
      let other = png(4, 4, noise(100))
      for number in Int64(101)...110 {
        set(number, other)
        #expect(await world.poll(alice))
        try await alice.waitUntilIdle()
      }
      #expect(world.server.requests.count { $0.contains("/file/") } == 1)
      world.world.clock.advance(by: 601_000)
      try await alice.waitUntilIdle()
      #expect(try await alice.picture(ofRoom: world.conversation) == other)
      #expect(world.server.requests.count { $0.contains("/file/") } == 2)
    }
  }
}
