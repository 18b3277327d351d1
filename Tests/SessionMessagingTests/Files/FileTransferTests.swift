import Foundation
import SessionCore
import SessionNetworking
import SessionStorage
import Testing

@testable import SessionMessaging

/// Files on their way between people and their devices.
@Suite(.timeLimit(.minutes(10))) struct FileTransferTests {
  @Test(arguments: AttachmentFormat.allCases)
  func aPictureIsSeenByEverybody(_ format: AttachmentFormat) async throws {
    let world = World()
    let account = try Account.generate()
    let phone = try await world.device(of: account, name: "Alice", format: format)
    let desk = try await world.device(of: account, format: format)
    let bob = try await world.device(of: .generate(), name: "Bob")
    try await phone.send("Hello", to: bob.id)
    try await world.settle()
    try await bob.send("Hi", to: phone.id)
    try await world.settle()
    try await bob.setDownloadsByItself(true, of: phone.id)

    let picture = png(640, 480, noise(200_000))
    world.files.decide { _ in .held }
    let sent = try await phone.send(
      "look", attachments: [OutgoingFile(.bytes(picture), name: "a/beach.png")], to: bob.id)
    await world.files.untilHeld()
    #expect(try await phone.attachments(of: sent).map(\.state) == [.uploading])
    world.files.decide { _ in .done }
    world.files.release()
    try await world.settle()
    for (device, other) in [(phone, bob.id), (desk, bob.id), (bob, phone.id)] {
      let message = try await device.last(in: other)
      #expect(message.body == "look")
      let file = try #require(message.attachments.first)
      #expect(message.attachments.count == 1)
      #expect(file.kind == .image && file.state == .ready && file.isHere)
      #expect(file.name == "beach.png" && file.contentType == "image/png")
      #expect(file.width == 640 && file.height == 480 && file.size == picture.count)
      #expect(try await device.bytes(of: file.id) == picture)
    }
    #expect(try await phone.message(sent)?.state == .sent)
    #expect(world.files.uploads == 1)
    #expect(world.files.files.values.allSatisfy { $0.bytes.range(of: picture.suffix(1000)) == nil })
    await world.stop()
  }

  @Test func imageMetadataIsNotSent() async throws {
    try await withAliceAndBob { world, alice, bob in
      try FileManager.default.createDirectory(atPath: world.folder, withIntermediateDirectories: true)
      let path = "\(world.folder)/photo.png"
      let photo = png(5, 6, noise(100_000), notes: Array("somewhere".utf8))
      try Data(photo).write(to: URL(filePath: path))
      try await alice.send(
        "", attachments: [OutgoingFile(path: path), OutgoingFile(.bytes(photo))], to: bob.id)
      try await world.settle()
      for file in try await bob.last(in: alice.id).attachments {
        try await bob.download(file.id)
        try await world.settle()
        #expect(try await bob.bytes(of: file.id) == png(5, 6, noise(100_000)))
      }
    }
  }

  @Test func captionsArriveWithTheirFiles() async throws {
    try await withAliceAndBob { world, alice, bob in
      let desk = try await world.device(of: alice.context.account)
      let files = [
        OutgoingFile(.bytes(png(2, 2)), caption: "the beach\0 at noon"), OutgoingFile(.bytes([1]), name: "a"),
      ]
      try await alice.send("", attachments: files, to: bob.id)
      try await world.settle()
      for (device, other) in [(alice, bob.id), (desk, bob.id), (bob, alice.id)] {
        #expect(try await device.last(in: other).attachments.map(\.caption) == ["the beach at noon", nil])
      }
      let beach = try #require(try await alice.last(in: bob.id).attachments.first)
      // Forwarding replaces the caption.
      try await alice.send("", attachments: [OutgoingFile(.attachment(beach.id))], to: bob.id)
      let again = OutgoingFile(.attachment(beach.id), caption: "again")
      try await alice.send("", attachments: [again], to: bob.id)
      try await world.settle()
      let got = try await bob.messages(in: .person(alice.id), limit: 2).map { $0.attachments.map(\.caption) }
      #expect(got == [["again"], [nil]])
      let long = OutgoingFile(.bytes([1]), caption: String(repeating: "x", count: 301))
      await #expect {
        try await alice.send("", attachments: [long], to: bob.id)
      } throws: { MessengerError.Code.fileUnavailable ~= $0 }
    }
  }

  @Test func onlySoMuchIsKeptOfWhatAStrangerSaysAboutAFile() async throws {
    try await withAliceAndBob { world, alice, bob in
      let pointer = AttachmentPointer(
        format: .legacy, key: try SecretBytes(copying: [UInt8](repeating: 1, count: 64)),
        digest: [UInt8](repeating: 2, count: 32), size: 1)
      let file = try MessageAttachment(
        url: world.files.put([1]), pointer: pointer, caption: String(repeating: "x", count: 9000))
      let message = try Message(
        .visible(VisibleMessage(body: "", attachments: [file])),
        sentAt: MessageTime(milliseconds: UInt64(world.clock.now)))
      world.swarms.put(try alice.context.account.encode(message, for: .contact(bob.id)), to: bob.id)
      try await world.settle()
      let kept = try await bob.last(in: alice.id).attachments.first?.caption
      #expect(kept?.count == AttachmentCaption.maxKept)
    }
  }

  @Test func severalFilesInOneMessageKeepTheirOrder() async throws {
    try await withAliceAndBob { world, alice, bob in
      let files = (0..<VisibleMessage.maxAttachments).map { number in
        OutgoingFile(.bytes(noise(1000 + number, seed: UInt8(number + 1))), name: "\(number).bin")
      }
      let sent = try await alice.send("", attachments: files, to: bob.id)
      try await world.settle()
      #expect(try await alice.message(sent)?.state == .sent)
      let got = try await bob.last(in: alice.id).attachments
      #expect(got.map(\.name) == files.map { $0.name })
      #expect(got.allSatisfy { $0.state == .remote && $0.kind == .file && !$0.isHere })
      for file in got { try await bob.download(file.id) }
      try await world.settle()
      for (number, file) in got.enumerated() {
        #expect(try await bob.bytes(of: file.id) == noise(1000 + number, seed: UInt8(number + 1)))
      }
      await #expect(throws: MessengerError.self) {
        try await alice.send("", attachments: files + [OutgoingFile(.bytes([1]))], to: bob.id)
      }
    }
  }

  @Test func voiceMessagesAreMarked() async throws {
    try await withAliceAndBob { world, alice, bob in
      try await bob.setDownloadsByItself(true, of: alice.id)
      try await alice.send("", attachments: [.voiceMessage(.bytes(noise(5000)))], to: bob.id)
      try await world.settle()
      let file = try #require(try await bob.last(in: alice.id).attachments.first)
      #expect(file.kind == .voiceMessage && file.contentType == "audio/aac" && file.state == .ready)
    }
  }

  @Test func onlyInlineMediaOfTrustedContactsIsDownloadedAutomatically() async throws {
    try await withAliceAndBob { world, alice, bob in
      let files = [OutgoingFile(.bytes(png(2, 2))), OutgoingFile(.bytes(noise(100)), name: "x.pdf")]
      try await alice.send("one", attachments: files, to: bob.id)
      try await world.settle()
      #expect(try await bob.last(in: alice.id).attachments.map(\.state) == [.remote, .remote])
      try await bob.setDownloadsByItself(true, of: alice.id)
      try await alice.send("two", attachments: files, to: bob.id)
      try await world.settle()
      #expect(try await bob.last(in: alice.id).attachments.map(\.state) == [.ready, .remote])
      #expect(try await bob.contacts().first { $0.id == alice.id }?.downloadsByItself == true)
    }
  }

  @Test func filesOfStrangersWaitToBeAskedFor() async throws {
    try await withAliceAndBob(areFriends: false) { world, alice, bob in
      await #expect(throws: MessengerError.self) { try await bob.setDownloadsByItself(true, of: alice.id) }
      try await alice.send("", attachments: [OutgoingFile(.bytes(png(2, 2)))], to: bob.id)
      try await world.settle()
      let file = try #require(try await bob.last(in: alice.id).attachments.first)
      #expect(file.state == .remote)
      #expect(world.files.requests(.get) == 0)
      try await bob.download(file.id)
      try await world.settle()
      #expect(try await bob.attachment(file.id)?.state == .ready)
    }
  }

  @Test func aReplyAcceptsARequestBeforeItsFileIsFetched() async throws {
    try await withAliceAndBob(areFriends: false) { world, alice, bob in
      try await alice.send("may I?", to: bob.id)
      try await world.settle()
      try await bob.send("", attachments: [OutgoingFile(.bytes(png(2, 2)))], to: alice.id)
      try await world.settle()
      #expect(try await alice.conversation(.person(bob.id))?.isAccepted == true)
      #expect(try await alice.last(in: bob.id).attachments.count == 1)
    }
  }

  @Test func notesToOneselfHaveFiles() async throws {
    let world = World()
    let account = try Account.generate()
    let phone = try await world.device(of: account, name: "Alice")
    let desk = try await world.device(of: account)
    try await phone.send("", attachments: [OutgoingFile(.bytes(png(3, 3)))], to: phone.id)
    try await world.settle()
    #expect(try await desk.last(in: phone.id).attachments.map(\.state) == [.ready])
    await world.stop()
  }

  @Test func anEmptyFileIsAFile() async throws {
    try await withAliceAndBob { world, alice, bob in
      try await alice.send("", attachments: [OutgoingFile(.bytes([]), name: "nothing.txt")], to: bob.id)
      try await world.settle()
      let file = try #require(try await bob.last(in: alice.id).attachments.first)
      try await bob.download(file.id)
      try await world.settle()
      #expect(try await bob.attachment(file.id)?.state == .ready)
      #expect(try await bob.bytes(of: file.id).isEmpty)
    }
  }

  @Test func aFileIsSavedOnceAndForItsOwnerAlone() async throws {
    try await withAliceAndBob { world, alice, bob in
      let content = noise(300_000)
      try FileManager.default.createDirectory(atPath: world.folder, withIntermediateDirectories: true)
      let source = "\(world.folder)/source.bin"
      try Data(content).write(to: URL(filePath: source))
      let sent = try await alice.send("", attachments: [OutgoingFile(path: source)], to: bob.id)
      try FileManager.default.removeItem(atPath: source)
      try await world.settle()
      let file = try #require(try await alice.attachments(of: sent).first)
      #expect(file.name == "source.bin" && file.state == .ready)
      let path = "\(world.folder)/saved.bin"
      try await alice.save(file.id, to: path)
      #expect(try Array(Data(contentsOf: URL(filePath: path))) == content)
      let mode = try FileManager.default.attributesOfItem(atPath: path)[.posixPermissions] as? Int
      #expect(mode == 0o600)
      await #expect { try await alice.save(file.id, to: path) } throws: {
        ($0 as? SessionError)?.code == .fileExists
      }
      let got = try #require(try await bob.last(in: alice.id).attachments.first)
      await #expect(throws: MessengerError.self) { try await bob.save(got.id, to: path + "2") }
      #expect(!FileManager.default.fileExists(atPath: path + "2"))
    }
  }

  @Test func nothingLiesOnTheDiskInTheClear() async throws {
    try await withAliceAndBob { world, alice, bob in
      let secret = Array("the words that nobody else may read".utf8)
      try await bob.setDownloadsByItself(true, of: alice.id)
      try await alice.send("", attachments: [OutgoingFile(.bytes(png(2, 2, secret)))], to: bob.id)
      try await alice.setPicture(png(4, 4, secret))
      try await world.settle()
      #expect(try await bob.last(in: alice.id).attachments.map(\.state) == [.ready])
      var files = 0
      let found = FileManager.default.enumerator(atPath: world.folder)
      while let name = found?.nextObject() as? String {
        guard let data = FileManager.default.contents(atPath: "\(world.folder)/\(name)") else { continue }
        files += 1
        #expect(data.range(of: Data(secret)) == nil)
      }
      #expect(files >= 3)
    }
  }

  @Test func invalidAttachmentsAreRefusedBeforeAnythingIsWritten() async throws {
    try await withAliceAndBob { world, alice, bob in
      let before = try await alice.messages(in: .person(bob.id)).count
      let pipe = "\(world.folder)/pipe"
      try FileManager.default.createDirectory(atPath: world.folder, withIntermediateDirectories: true)
      #expect(mkfifo(pipe, 0o600) == 0)
      let bad: [OutgoingFile] = [
        OutgoingFile(path: pipe), OutgoingFile(path: "/dev/zero"), OutgoingFile(path: world.folder),
        OutgoingFile(path: world.folder + "/none"),
        OutgoingFile(.bytes([UInt8](repeating: 0, count: alice.maxFileSize + 1))),
        OutgoingFile(.attachment(AttachmentView.ID(rawValue: 999))),
      ]
      for file in bad {
        await #expect { try await alice.send("", attachments: [file], to: bob.id) } throws: { error in
          (error as? MessengerError)?.code == .fileUnavailable
        }
      }
      await #expect(throws: (any Error).self) { try await alice.send("", attachments: [], to: bob.id) }
      #expect(try await alice.messages(in: .person(bob.id)).count == before)
    }
  }

  @Test func theLargestFileArrives() async throws {
    try await withAliceAndBob { world, alice, bob in
      let content = noise(alice.maxFileSize)
      try await alice.send("", attachments: [OutgoingFile(.bytes(content))], to: bob.id)
      try await world.settle()
      let file = try #require(try await bob.last(in: alice.id).attachments.first)
      try await bob.download(file.id)
      try await world.settle()
      #expect(try await bob.bytes(of: file.id) == content)
      #expect(world.files.files.values.allSatisfy { $0.bytes.count <= FileClient.maxCarried })
      #expect(content.count > 9_500_000)
    }
  }

  @Test func progressOfTransfersIsReported() async throws {
    try await withAliceAndBob { world, alice, bob in
      let (uploads, downloads) = (alice.transfers(), bob.transfers())
      try await bob.setDownloadsByItself(true, of: alice.id)
      let sent = try await alice.send(
        "", attachments: [OutgoingFile(.bytes(png(2, 2, noise(500_000))))], to: bob.id)
      try await world.settle()
      let mine = try #require(try await alice.attachments(of: sent).first)
      await world.stop()
      var steps: [FileTransfer] = []
      for await step in uploads { steps.append(step) }
      #expect(steps.allSatisfy { $0.attachment == mine.id && $0.direction == .upload })
      #expect(steps.map(\.progress) == steps.map(\.progress).sorted() && steps.last?.progress == 1)
      var down: [FileTransfer] = []
      for await step in downloads { down.append(step) }
      #expect(down.first?.progress == 0 && down.last?.progress == 1)
      #expect(down.allSatisfy { $0.direction == .download })
    }
  }
}

extension [UInt8] {
  fileprivate func range(of part: ArraySlice<UInt8>) -> Range<Int>? {
    Data(self).range(of: Data(part))
  }
}

extension Messenger {
  @discardableResult
  func send(
    _ body: String, attachments: [OutgoingFile], to recipient: SessionID
  ) async throws -> MessageView.ID {
    try await send(OutgoingText(body), attachments: attachments, to: recipient)
  }
}
