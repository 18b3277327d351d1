import Foundation
import SessionCore
import SessionMessaging
import SessionNetworking
import SessionNode
import SessionServers
import SessionService
import SessionStorage
import Testing

/// Files of people with two devices each, over a real network and a real file server.
@Suite(.serialized, .timeLimit(.minutes(5))) struct FileTests {
  @Test func filesAreTheSameOnAllDevices() async throws {
    try await withFourDevices { (_, alice, bob) async throws in
      let (phone, other) = (alice[0], bob[0])
      let picture = image(640, 480, 400_000)
      let text = Array("a few words".utf8)
      let files = [
        OutgoingFile(.bytes(picture), name: "beach.png"), OutgoingFile(.bytes(text), name: "../words.txt"),
        .voiceMessage(.bytes(blur(50_000))),
      ]
      try await phone.send(OutgoingText("look"), attachments: files, to: other.id)
      for (device, conversation) in alice.map({ ($0, other.id) }) + bob.map({ ($0, phone.id) }) {
        let message = try await device.message("look", in: conversation)
        let got = try await device.attachments(of: message.id)
        #expect(got.map(\.kind) == [.image, .file, .voiceMessage])
        #expect(got.map(\.name) == ["beach.png", "words.txt", nil])
        for (file, content) in zip(got, [picture, text, blur(50_000)]) {
          #expect(try await device.ready(file.id) == content)
        }
      }
      // The other side answers with a quote, which shows the picture.
      let original = try await bob[1].message("look", in: phone.id)
      try await bob[1].send(OutgoingText("nice", answering: original.id), to: phone.id)
      for device in alice {
        #expect(try await device.message("nice", in: other.id).quoted?.attachment?.width == 640)
      }
      // Deleting a message for everyone deletes its files.
      let mine = try await phone.message("look", in: other.id)
      let file = try #require(mine.attachments.first)
      try await phone.delete(mine.id, .forEveryone)
      #expect(try await phone.attachment(file.id) == nil)
      for device in bob {
        _ = try await device.when { device in
          try await device.messages(in: .person(phone.id)).first {
            $0.kind == .deleted && $0.attachments.isEmpty
          }
        }
      }
    }
  }

  @Test func aFileNearTheLimitArrives() async throws {
    try await withFourDevices { (_, alice, bob) async throws in
      let (phone, other) = (alice[0], bob[0])
      let content = blur(phone.maxFileSize)
      let begun = ContinuousClock.now
      let sent = try await phone.send(
        OutgoingText("large"), attachments: [OutgoingFile(.bytes(content))], to: other.id)
      _ = try await phone.when { try await $0.message(sent).flatMap { $0.state == .sent ? $0 : nil } }
      let up = ContinuousClock.now
      let message = try await other.message("large", in: phone.id)
      #expect(try await other.ready(message.attachments[0].id) == content)
      print("\(content.count) bytes went up in \(up - begun), and down in \(ContinuousClock.now - up)")
    }
  }

  @Test func aNewPictureIsSeenByAll() async throws {
    try await withFourDevices { (_, alice, bob) async throws in
      let (phone, other) = (alice[0], bob[0])
      for (number, setter) in alice.enumerated() {
        let picture = image(64, 64 + UInt32(number), 30_000)
        try await setter.setPicture(picture)
        for device in alice {
          _ = try await device.when { try await $0.picture(of: phone.id) == picture ? true : nil }
        }
        // It is on the server by now; others see it with the next message.
        try await setter.send("how do I look? \(number)", to: other.id)
        for device in bob {
          _ = try await device.when { try await $0.picture(of: phone.id) == picture ? true : nil }
        }
      }
    }
  }

  @Test func anUploadThatIsInterruptedGoesOn() async throws {
    try await withTown { (town) async throws in
      let bob = try await town.device(of: try Account.generate(), name: "Bob")
      let folder = town.freshFolder()
      let alice = try await town.device(of: try Account.generate(), name: "Alice", in: folder)
      let content = blur(3_000_000)
      let progress = alice.transfers()
      let sent = try await alice.send(
        OutgoingText("interrupted"), attachments: [OutgoingFile(.bytes(content))], to: bob.id)
      // It is under way.
      _ = await progress.first { _ in true }
      await town.stop(alice)
      let again = try await town.open(folder)
      _ = try await again.when { try await $0.message(sent).flatMap { $0.state == .sent ? $0 : nil } }
      let message = try await bob.message("interrupted", in: again.id)
      #expect(try await bob.ready(message.attachments[0].id) == content)
      #expect(try await bob.messages(in: .person(again.id)).count == 1)
      #expect(try await again.messages(in: .person(bob.id)).count == 1)
    }
  }

  @Test func aDownloadThatIsInterruptedGoesOn() async throws {
    try await withTown { (town) async throws in
      let alice = try await town.device(of: try Account.generate(), name: "Alice")
      let folder = town.freshFolder()
      let bob = try await town.device(of: try Account.generate(), name: "Bob", in: folder)
      let content = blur(3_000_000)
      try await alice.send(
        OutgoingText("interrupted"), attachments: [OutgoingFile(.bytes(content))], to: bob.id)
      let file = try await bob.message("interrupted", in: alice.id).attachments[0]
      let progress = bob.transfers()
      try await bob.download(file.id)
      _ = await progress.first { _ in true }
      await town.stop(bob)
      let again = try await town.open(folder)
      #expect(try await again.ready(file.id) == content)
      #expect(try await again.messages(in: .person(alice.id)).map(\.attachments.count) == [1])
    }
  }

  @Test func refusedUploadsFailVisibly() async throws {
    let small = DevnetServerKind.fileServer { $0.maxFileBytes = 100_000 }
    try await withTown(servers: [small]) { (town) async throws in
      let alice = try await town.device(of: try Account.generate(), name: "Alice")
      let bob = try await town.device(of: try Account.generate(), name: "Bob")
      let sent = try await alice.send(
        OutgoingText("too large"), attachments: [OutgoingFile(.bytes(blur(200_000)))], to: bob.id)
      func reason() async throws -> String {
        try await alice.when { device in
          guard case .failed(let reason) = try await device.message(sent)?.state else { return nil }
          return reason
        }
      }
      #expect(try await reason().contains("rejected the file as too large (413)"))
      try await alice.resend(sent)
      #expect(try await reason().contains("(413)"))
      try await alice.send(
        OutgoingText("small"), attachments: [OutgoingFile(.bytes(blur(2000)))], to: bob.id)
      let message = try await bob.message("small", in: alice.id)
      #expect(try await bob.ready(message.attachments[0].id) == blur(2000))
      #expect(try await bob.messages(in: .person(alice.id)).count == 1)
    }
  }

  @Test func theServerSaysWhatItKeeps() async throws {
    try await withTown { (town) async throws in
      try await town.withFileClient { (client) async throws in
        let now = try MessageTime(milliseconds: UInt64(Date.now.timeIntervalSince1970 * 1000))
        let kept = try await client.upload(blur(1000), isStream: false, at: now)
        #expect(kept.url.isExtensible)
        #expect(try await client.info(of: kept.url, at: now).size == 1000)
        #expect(try await client.extend(kept.url, at: now).expiresAt >= kept.expiresAt)
        #expect(try await client.download(kept.url) == blur(1000))
        let other = try client.servers.own.url(of: String(repeating: "A", count: 44), isStream: false)
        for call in [client.info, client.extend] {
          let failure = await #expect(throws: NetworkFailure.self) { try await call(other, now) }
          #expect(failure?.kind == .gone)
        }
        // A host that nodes pass nothing on to.
        let key = try Account.generate().ed25519PublicKey
        let elsewhere = try FileURL(.http, host: "192.0.2.1", fileID: "1", serverKey: key)
        await #expect(throws: NetworkFailure.self) { try await client.download(elsewhere) }
      }
    }
  }
}
