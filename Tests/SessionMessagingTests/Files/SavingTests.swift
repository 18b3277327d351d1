import Foundation
import SessionCore
import SessionStorage
import Testing

@testable import SessionMessaging

/// Notices that a file was saved.
@Suite struct SavingTests {
  private static let note = MessageView.Kind.note(.mediaSaved)

  /// Sends an image, and has the other side save it.
  private func save(of sender: Messenger, at saver: Messenger, in world: World) async throws {
    try await sender.send("", attachments: [OutgoingFile(.bytes(png(2, 2)))], to: saver.id)
    try await world.settle()
    let file = try #require(try await saver.last(in: sender.id).attachments.first)
    try await saver.download(file.id)
    try await world.settle()
    try await saver.save(file.id, to: "\(world.folder)/saved \(UUID().uuidString)")
    try await world.settle()
  }

  @Test func theSenderIsNotifiedThatAFileWasSaved() async throws {
    try await withAliceAndBob { world, alice, bob in
      let desks = (
        try await world.device(of: alice.context.account), try await world.device(of: bob.context.account)
      )
      try await world.settle()
      try await save(of: alice, at: bob, in: world)
      for device in [alice, desks.0] {
        let note = try await device.last(in: bob.id)
        #expect(note.kind == Self.note && note.author == bob.id)
      }
      for device in [bob, desks.1] {
        #expect(try await device.last(in: alice.id).kind == .message)
      }
      // Saving our own file sends no notice.
      let own = try #require(try await alice.messages(in: .person(bob.id)).first { !$0.attachments.isEmpty })
      let before = world.swarms.kept(bob.id).count
      try await alice.save(own.attachments[0].id, to: "\(world.folder)/own")
      try await world.settle()
      #expect(world.swarms.kept(bob.id).count == before)
    }
  }

  @Test func savingAStrangersFileSendsNoNotice() async throws {
    try await withAliceAndBob(areFriends: false) { world, alice, bob in
      try await save(of: alice, at: bob, in: world)
      #expect(try await bob.requests().compactMap(\.id.account) == [alice.id])
      #expect(try await !alice.messages(in: .person(bob.id)).contains { $0.kind == Self.note })
      #expect(world.swarms.kept(alice.id).count == 1)
    }
  }

  @Test func theNoteDisappearsAfterItWasRead() async throws {
    try await withAliceAndBob { world, alice, bob in
      try await bob.setTimer(try DisappearingTimer(.afterSend, seconds: 3600), in: .person(alice.id))
      try await world.settle()
      try await save(of: alice, at: bob, in: world)
      let note = try await alice.last(in: bob.id)
      #expect(note.kind == Self.note)
      #expect(note.timer == (try DisappearingTimer(.afterRead, seconds: 3600)) && note.disappearsAt == nil)
      try await alice.markRead(.person(bob.id))
      #expect(try await alice.message(note.id)?.disappearsAt != nil)
    }
  }
}
