import Foundation
import SessionBase
import SessionCore
import SessionMessaging
import Testing

/// The example of `docs/messenger.md`.
func keepPictures(of messenger: Messenger, in folder: String) async throws {
  for try await event in messenger.events(for: "album") {
    do {
      if let id = event.attachment, let file = try await messenger.attachment(id), file.kind == .image,
        file.state == .ready, let id = event.message, let message = try await messenger.message(id),
        !message.isOutgoing
      {
        try await messenger.save(file.id, to: "\(folder)/\(file.id.rawValue) \(file.name ?? "picture")")
        try await messenger.send("Thank you!", to: message.conversation)
      } else if event.kind == .messageReceived, let id = event.message {
        for file in try await messenger.attachments(of: id) where file.kind == .image {
          try await messenger.download(file.id)
        }
      }
    } catch let error where error is MessengerError || error is SessionError {
      print("event \(event.id.rawValue) was skipped: \(error)")
    }
    try await messenger.acknowledge(event.id, by: "album")
  }
}

@Suite(.timeLimit(.minutes(5))) struct AlbumExampleTests {
  @Test func theExampleIsTheOneThatIsShown() throws {
    let source = try String(contentsOfFile: #filePath, encoding: .utf8)
    let root = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "../../..")
    let page = try String(contentsOf: root.appending(path: "docs/messenger.md"), encoding: .utf8)
    let start = try #require(source.range(of: "func keepPictures"))
    let end = try #require(source.range(of: "\n}\n", range: start.lowerBound..<source.endIndex))
    #expect(page.contains(source[start.lowerBound..<end.upperBound]))
  }

  @Test func theExampleKeepsPictures() async throws {
    try await withAliceAndBob { world, alice, bob in
      let folder = "\(world.folder)/album"
      try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
      let hasEnded = Latch()
      let album = Task {
        defer { hasEnded.open() }
        try await keepPictures(of: bob, in: folder)
      }
      try await alice.send("", attachments: [OutgoingFile(.bytes(png(2, 2)), name: "a.png")], to: bob.id)
      while try await !alice.bodies(in: bob.id).contains("Thank you!") {
        if hasEnded.isOpen { try await album.value }
        try #require(!hasEnded.isOpen && !Task.isCancelled)
        try await world.settle(rounds: 1)
      }
      let kept = try stored(in: folder)
      #expect(kept.count == 1 && kept.first?.hasSuffix("a.png") == true)
      album.cancel()
    }
  }
}
