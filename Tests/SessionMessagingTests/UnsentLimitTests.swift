import Folders
import SessionCore
import SessionNetworking
import SessionStorage
import Testing

@testable import SessionMessaging

/// Messages that wait to be sent.
@Suite struct UnsentLimitTests {
  @Test func beyondALimitFurtherOnesAreRefusedByName() async throws {
    let folder = try TemporaryFolder()
    let messenger = try await Messenger.create(
      .generate(), in: AccountFolder("alice", in: StorageRoots(inside: folder.path("roots"))),
      MessengerEnvironment(swarms: UnreachableSwarms()))
    let bob = Conversation.ID.person(try Account.generate().id)
    let last = try await messenger.context.write { transaction, _ in
      let thread = try transaction.obtainThread(at: bob.address, .contact, createdAt: 1)
      var last: InteractionRecord?
      for number in 1...Outbox.maxUnsent {
        last = try transaction.insert(
          InteractionRecord(
            in: thread.id, by: messenger.id.description, .outgoing, body: "x", sentAt: Int64(number),
            receivedAt: Int64(number), state: .sending))
      }
      return last
    }
    await #expect { try await messenger.send("one more", to: bob) } throws: {
      ($0 as? StorageError)?.code == .overloaded
    }
    var sent = try #require(last)
    sent.state = .sent
    try await messenger.context.write { [sent] transaction, _ in try transaction.update(sent) }
    try await messenger.send("one more", to: bob)
    await messenger.stop()
  }

  /// Only some of the jobs are shown, and not all of them send a message.
  @Test func theFiguresCountMessagesAndNotJobs() async throws {
    let folder = try TemporaryFolder()
    let messenger = try await Messenger.create(
      .generate(), in: AccountFolder("alice", in: StorageRoots(inside: folder.path("roots"))),
      MessengerEnvironment(swarms: UnreachableSwarms()))
    let bob = Conversation.ID.person(try Account.generate().id)
    try await messenger.context.write { transaction, _ in
      let thread = try transaction.obtainThread(at: bob.address, .contact, createdAt: 1)
      let states: [InteractionRecord.State] = [.sending, .sending, .syncing, .sent, .failed, .failedToSync]
      for (number, state) in states.enumerated() {
        try transaction.insert(
          InteractionRecord(
            in: thread.id, by: messenger.id.description, .outgoing, body: "x", sentAt: Int64(number + 1),
            receivedAt: Int64(number + 1), state: state))
      }
    }
    #expect(try await messenger.figures().unsent == 3)
    await messenger.stop()
  }
}
