import SessionCore
import SessionNetworking
import SessionStorage
import Testing

@testable import SessionMessaging

@Suite struct ExpiredMessagesTests {
  /// A program that only reads never deletes anything, and the sweep of another one may be late.
  @Test func expiredMessagesAreNotShown() async throws {
    try await withFolder { (folder) async throws in
      let world = World()
      let bob = try await world.device(of: .generate(), name: "Bob")
      let alice = try await world.start(
        try await Messenger.create(.generate(), name: "Alice", in: folder, world.environment))
      try await bob.send("stays", to: alice.id)
      try await bob.setTimer(try DisappearingTimer(.afterSend, seconds: 60), in: .person(alice.id))
      let file = OutgoingFile(.bytes([1, 2, 3]), name: "secret.bin")
      try await bob.send(OutgoingText("secret"), attachments: [file], to: alice.id)
      try await bob.setTimer(nil, in: .person(alice.id))
      let secret = try await bob.last(in: alice.id).id
      try await bob.send(OutgoingText("quoting it", answering: secret), to: alice.id)
      try await world.settle()
      try await alice.acceptRequest(.person(bob.id))
      let received = try #require(try await alice.messages(in: .person(bob.id)).first { $0.body == "secret" })
      let attachment = try #require(received.attachments.first).id
      try await alice.download(attachment)
      try await world.settle(rounds: 1)
      let unread = try #require(try await alice.conversation(.person(bob.id))).unreadMessages
      await world.stop(alice)

      let reader = try await Messenger.open(folder, for: .reading, world.environment)
      #expect(try await reader.bodies(in: bob.id) == ["stays", "secret", "quoting it"])
      world.clock.advance(by: 61_000)
      #expect(try await reader.bodies(in: bob.id) == ["stays", "quoting it"])
      #expect(try await reader.last(in: bob.id).quoted?.body == nil)
      #expect(try await reader.message(received.id) == nil)
      #expect(try await reader.search("secret").messages.isEmpty)
      #expect(try await reader.attachments(of: received.id).isEmpty)
      #expect(try await reader.attachment(attachment) == nil)
      await #expect(throws: MessengerError.self) { try await reader.content(of: attachment) }
      let conversation = try #require(try await reader.conversations().first)
      #expect(conversation.unreadMessages == unread - 1)
      #expect(conversation.last?.body == "quoting it")
      #expect(
        try await reader.messages(in: .person(bob.id), limit: 2).filter { $0.kind == .message }.count >= 1)
      await reader.stop()
      await world.stop()
    }
  }
}
