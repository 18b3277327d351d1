import Foundation
import SessionCore
import SessionNetworking
import SessionStorage
import Testing

@testable import SessionMessaging

/// Failures, restarts and ends of files.
@Suite(.timeLimit(.minutes(10))) struct FileLifeTests {
  @Test(arguments: [(413, "as too large"), (400, "refuses the request"), (401, "refuses access")])
  func anUploadThatIsRefusedFailsVisiblyAndCanBeSentAgain(status: Int, words: String) async throws {
    try await withAliceAndBob { world, alice, bob in
      world.files.decide { _ in .refused(status) }
      let sent = try await alice.send("", attachments: [OutgoingFile(.bytes(png(2, 2)))], to: bob.id)
      try await world.settle()
      let message = try #require(try await alice.message(sent))
      guard case .failed(let reason) = message.state else { throw Unexpected() }
      #expect(reason.contains(words))
      #expect(message.attachments.map(\.state) == [.failed])
      #expect(world.files.uploads == 1)
      let told = try await alice.events(limit: 1000).filter { $0.kind == .attachmentChanged }
      #expect(told.last?.reason?.contains(words) == true)
      #expect(try await alice.kinds().contains(.messageFailed))
      world.files.decide { _ in .done }
      try await alice.resend(sent)
      try await world.settle()
      #expect(try await alice.message(sent)?.state == .sent)
      #expect(try await bob.messages(in: .person(alice.id)).filter { !$0.attachments.isEmpty }.count == 1)
    }
  }

  @Test func anUploadThatMaySucceedLaterIsTriedAgain() async throws {
    try await withAliceAndBob { world, alice, bob in
      let attempts = Counter()
      world.files.decide { _ in attempts.next() < 3 ? .refused(500) : .done }
      let sent = try await alice.send("", attachments: [OutgoingFile(.bytes(png(2, 2)))], to: bob.id)
      try await world.settle()
      #expect(try await alice.message(sent)?.state == .sent)
      #expect(world.files.uploads == 3)
    }
  }

  @Test func aReplyThatIsLostCostsNoSecondMessage() async throws {
    try await withAliceAndBob { world, alice, bob in
      let attempts = Counter()
      world.files.decide { _ in attempts.next() < 2 ? .lost : .done }
      try await alice.send("", attachments: [OutgoingFile(.bytes(png(2, 2)))], to: bob.id)
      try await world.settle()
      #expect(try await bob.messages(in: .person(alice.id)).filter { !$0.attachments.isEmpty }.count == 1)
      #expect(world.files.uploads == 2)
    }
  }

  @Test func anUploadGoesOnAfterARestart() async throws {
    try await withFolder { folder in
      let world = World()
      let bob = try await world.device(of: .generate(), name: "Bob")
      let alice = try await world.start(
        try await Messenger.create(.generate(), name: "Alice", in: folder, world.environment))
      world.files.decide { _ in .held }
      let sent = try await alice.send("", attachments: [OutgoingFile(.bytes(png(2, 2)))], to: bob.id)
      await world.files.untilHeld()
      await world.stop(alice)
      world.files.decide { _ in .done }
      let again = try await world.start(try await Messenger.open(folder, world.environment))
      try await world.settle()
      #expect(try await again.message(sent)?.state == .sent)
      let got = try await bob.messages(in: .person(alice.id))
      #expect(got.count == 1 && got.first?.attachments.count == 1)
      #expect(try await again.messages(in: .person(bob.id)).count == 1)
      await world.stop()
    }
  }

  @Test func aDownloadGoesOnAfterARestart() async throws {
    try await withFolder { folder in
      let world = World()
      let alice = try await world.device(of: .generate(), name: "Alice")
      let bob = try await world.start(
        try await Messenger.create(.generate(), name: "Bob", in: folder, world.environment))
      let picture = png(2, 2, noise(1000))
      try await alice.send("", attachments: [OutgoingFile(.bytes(picture))], to: bob.id)
      try await world.settle()
      let file = try #require(try await bob.last(in: alice.id).attachments.first)
      world.files.decide { _ in .held }
      try await bob.download(file.id)
      #expect(try await bob.attachment(file.id)?.state == .downloading)
      await world.files.untilHeld()
      await world.stop(bob)
      world.files.decide { _ in .done }
      let again = try await world.start(try await Messenger.open(folder, world.environment))
      try await world.settle()
      #expect(try await again.bytes(of: file.id) == picture)
      #expect(try stored(in: folder.attachments).count == 1)
      await world.stop()
    }
  }

  @Test func aDownloadFailsAfterAFewAttemptsAndCanBeAskedForAgain() async throws {
    try await withAliceAndBob { world, alice, bob in
      try await alice.send("", attachments: [OutgoingFile(.bytes(png(2, 2)))], to: bob.id)
      try await world.settle()
      let file = try #require(try await bob.last(in: alice.id).attachments.first)
      world.files.decide { _ in .unreached(NetworkFailure(.transient, "no answer")) }
      try await bob.download(file.id)
      try await world.settle(rounds: 5)
      #expect(try await bob.attachment(file.id)?.state == .failed)
      #expect(world.files.requests(.get) == 4)
      #expect(try await bob.events(limit: 1000).last { $0.kind == .attachmentChanged }?.reason == "no answer")
      world.files.decide { _ in .done }
      try await bob.download(file.id)
      try await world.settle()
      #expect(try await bob.attachment(file.id)?.state == .ready)
    }
  }

  @Test func filesMissingOnTheServerAreUnusable() async throws {
    try await withAliceAndBob { world, alice, bob in
      try await alice.send("", attachments: [OutgoingFile(.bytes(png(2, 2)))], to: bob.id)
      try await world.settle()
      let file = try #require(try await bob.last(in: alice.id).attachments.first)
      for id in world.files.files.keys { world.files.forget(id) }
      try await bob.download(file.id)
      try await world.settle()
      #expect(try await bob.attachment(file.id)?.state == .unusable)
      #expect(world.files.requests(.get) == 1)
    }
  }

  @Test func aMessageThatIsDeletedWhileItsFileGoesUpIsNotSent() async throws {
    try await withAliceAndBob { world, alice, bob in
      let before = world.swarms.kept(bob.id).count
      world.files.decide { _ in .held }
      let sent = try await alice.send("", attachments: [OutgoingFile(.bytes(png(2, 2)))], to: bob.id)
      await world.files.untilHeld()
      try await alice.delete(sent, .forEveryone)
      world.files.release()
      world.files.decide { _ in .done }
      try await world.settle()
      #expect(world.swarms.kept(bob.id).count == before)
      #expect(try await alice.attachments(of: sent).isEmpty)
      #expect(try stored(in: world.folder).isEmpty)
    }
  }

  @Test func aFileGoesWithTheLastMessageThatHasIt() async throws {
    try await withAliceAndBob { world, alice, bob in
      let first = try await alice.send("", attachments: [OutgoingFile(.bytes(png(2, 2)))], to: bob.id)
      try await world.settle()
      let file = try #require(try await alice.attachments(of: first).first)
      let second = try await alice.send("", attachments: [OutgoingFile(.attachment(file.id))], to: alice.id)
      try await world.settle()
      // It lies on the server already.
      #expect(world.files.uploads == 1)
      #expect(try await alice.message(second)?.state == .sent)
      #expect(try stored(in: world.folder).count == 1)
      try await alice.delete(first)
      try await world.settle()
      #expect(try stored(in: world.folder).count == 1)
      #expect(try await alice.attachment(file.id) == nil)
      try await alice.deleteConversation(.person(alice.id))
      try await world.settle()
      #expect(try stored(in: world.folder).isEmpty)
    }
  }

  @Test func oldUploadsAreUploadedAgain() async throws {
    try await withAliceAndBob { world, alice, bob in
      let first = try await alice.send("", attachments: [OutgoingFile(.bytes(png(2, 2)))], to: bob.id)
      try await world.settle()
      let file = try #require(try await alice.attachments(of: first).first)
      world.clock.advance(by: 15 * 86_400_000)
      try await alice.send("", attachments: [OutgoingFile(.attachment(file.id))], to: bob.id)
      try await world.settle()
      #expect(world.files.uploads == 2)
      let got = try #require(try await bob.last(in: alice.id).attachments.first)
      try await bob.download(got.id)
      try await world.settle()
      #expect(try await bob.attachment(got.id)?.state == .ready)
    }
  }

  @Test func disappearingMessagesDeleteTheirFiles() async throws {
    try await withAliceAndBob { world, alice, bob in
      try await alice.setTimer(try DisappearingTimer(.afterSend, seconds: 3600), in: .person(bob.id))
      try await alice.send("", attachments: [OutgoingFile(.bytes(png(2, 2)))], to: bob.id)
      try await world.settle()
      #expect(try stored(in: world.folder).count == 1)
      world.clock.advance(by: 3_600_000)
      try await world.settle()
      #expect(try stored(in: world.folder).isEmpty)
    }
  }

  @Test func orphanFilesAreDeletedAndMissingFilesAreFetchedAgain() async throws {
    try await withAliceAndBob { world, alice, bob in
      try await bob.setDownloadsByItself(true, of: alice.id)
      try await alice.send("", attachments: [OutgoingFile(.bytes(png(2, 2)))], to: bob.id)
      try await world.settle()
      let file = try #require(try await bob.last(in: alice.id).attachments.first)
      for path in try stored(in: world.folder) { try FileManager.default.removeItem(atPath: path) }
      world.clock.advance(by: 25 * 3_600_000)
      try await world.settle()
      #expect(try await bob.attachment(file.id)?.state == .remote)
      try await bob.download(file.id)
      try await world.settle()
      #expect(try await bob.attachment(file.id)?.state == .ready)
    }
  }

  @Test func quoteOfASentImageCarriesItsPreview() async throws {
    try await withAliceAndBob { world, alice, bob in
      try await alice.send(
        "", attachments: [OutgoingFile(.bytes(noise(10)), name: "x"), OutgoingFile(.bytes(png(7, 7)))],
        to: bob.id)
      try await world.settle()
      let original = try await bob.last(in: alice.id)
      try await bob.send(OutgoingText("nice", answering: original.id), to: alice.id)
      try await world.settle()
      #expect(try await alice.last(in: bob.id).quoted?.attachment?.width == 7)
      #expect(try await bob.last(in: alice.id).quoted?.attachment?.kind == .image)
    }
  }

  @Test func linksHaveImages() async throws {
    try await withAliceAndBob { world, alice, bob in
      try await bob.setDownloadsByItself(true, of: alice.id)
      let url = "https://example.org/page"
      let preview = OutgoingText.Preview(url: url, title: "A page", image: OutgoingFile(.bytes(png(9, 9))))
      try await alice.send(OutgoingText("see \(url)", preview: preview), to: bob.id)
      try await world.settle()
      let link = try #require(try await bob.last(in: alice.id).link)
      #expect(link.title == "A page" && link.image?.width == 9 && link.image?.state == .ready)
      let image = try #require(link.image)
      #expect(try await bob.bytes(of: image.id) == png(9, 9))
      try await bob.delete(try await bob.last(in: alice.id).id)
      try await world.settle()
      #expect(try await bob.attachment(image.id) == nil)
    }
  }

  private struct Unexpected: Error {}
}

/// The files below a folder that are kept there.
func stored(in folder: String) throws -> [String] {
  var paths: [String] = []
  let found = FileManager.default.enumerator(atPath: folder)
  while let name = found?.nextObject() as? String {
    var isFolder: ObjCBool = false
    let path = "\(folder)/\(name)"
    if FileManager.default.fileExists(atPath: path, isDirectory: &isFolder), !isFolder.boolValue {
      paths.append(path)
    }
  }
  return paths
}
