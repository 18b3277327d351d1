import Foundation
import SessionCore
import SessionMessaging
import SessionNetworking
import SessionNode
import SessionStorage
import Spawning
import Testing

/// The bot of the documentation is a program, which is built and run as it stands there.
@Suite(.serialized, .timeLimit(.minutes(5))) struct BotTests {
  private static let root = URL(filePath: #filePath).deletingLastPathComponent()
    .deletingLastPathComponent().deletingLastPathComponent()

  @Test func theDocumentationShowsTheProgram() throws {
    let page = try String(contentsOf: Self.root.appending(path: "docs/messenger.md"), encoding: .utf8)
    let program = try String(
      contentsOf: Self.root.appending(path: "Tests/Support/echo-bot/main.swift"), encoding: .utf8)
    #expect(page.contains("```swift\n\(program)```"))
  }

  @Test func theBotAnswers() async throws {
    try await withTown { (town) async throws in
      let place = URL(filePath: town.freshFolder())
      try FileManager.default.createDirectory(at: place, withIntermediateDirectories: true)
      try FileManager.default.copyItem(
        at: URL(filePath: town.net.networkFile), to: place.appending(path: "network.json"))
      // It is somebody whose folder was there already: so it is known whom to write to.
      let account = try Account.generate()
      let environment = ["HOME": place.path]
      let folder = try AccountFolder("echo", in: StorageRoots(environment: environment))
      await town.stop(try await town.device(of: account, name: "Echo", at: folder))
      let bot = Process()
      bot.executableURL = URL(filePath: "/proc/self/exe").resolvingSymlinksInPath()
        .deletingLastPathComponent().appending(path: "echo-bot")
      bot.currentDirectoryURL = place
      bot.environment = environment
      try bot.start()
      defer { kill(bot.processIdentifier, SIGKILL) }
      let person = try Account.generate()
      let alice = try await town.device(of: person, name: "Alice")
      // An echo cannot send back a file without a text. The texts behind it are as long as texts may be.
      let picture = place.appending(path: "picture.png")
      try Data([0x89, 0x50, 0x4E, 0x47]).write(to: picture)
      try await alice.send(OutgoingText(""), attachments: [OutgoingFile(path: picture.path)], to: account.id)
      let longest = String(repeating: "x", count: 2000)
      try await alice.send(longest, to: account.id)
      let asked = try await alice.send("Is there anybody?", to: account.id)
      let answer = try await alice.when { device -> MessageView? in
        guard try await device.conversation(.person(account.id)) != nil else { return nil }
        return try await device.messages(in: .person(account.id))
          .first { !$0.isOutgoing && $0.body == "Is there anybody?" }
      }
      #expect(answer.quoted?.message == asked)
      let bodies = try await alice.messages(in: .person(account.id)).reversed().filter { !$0.isOutgoing }.map(
        \.body)
      #expect(bodies.filter { !$0.isEmpty } == [longest, "Is there anybody?"])

      // Nothing that anybody may send ends it, or keeps it from what comes behind.
      let first = try #require(try await alice.messages(in: .person(account.id)).last { $0.isOutgoing }).id
      let album = (1...3).map { OutgoingFile(.bytes([UInt8($0)]), name: "\($0).bin") }
      try await alice.send(OutgoingText(""), attachments: album, to: account.id)
      try await alice.send(
        OutgoingText("a voice"), attachments: [.voiceMessage(.bytes([1, 2, 3]))], to: account.id)
      try await alice.react("👍", to: answer.id)
      try await alice.unreact("👍", to: answer.id)
      try await alice.send(OutgoingText("an answer", answering: answer.id), to: account.id)
      let link = OutgoingText.Preview(url: "https://example.org", title: "Example")
      try await alice.send(OutgoingText("https://example.org", preview: link), to: account.id)
      let regretted = try await alice.send("regretted", to: account.id)
      try await alice.delete(regretted, .forEveryone)
      try await alice.delete(first, .forEveryone)
      try await alice.setTimer(DisappearingTimer(.afterSend, seconds: 3600), in: .person(account.id))
      try await alice.setTimer(nil, in: .person(account.id))
      try await alice.waitUntilSettled()
      let now = try MessageTime(milliseconds: UInt64(answer.sentAt))
      try await town.put(.call(try CallMessage(.end, of: UUID().uuidString)), by: person, to: account.id)
      try await town.put([UInt8](repeating: 0x55, count: 400), to: account.id)
      let whole = try Message(.visible(VisibleMessage(body: "cut off")), sentAt: now)
      try await town.put(person.encode(whole, for: .contact(account.id)).dropLast(40), to: account.id)
      try await alice.send("And now?", to: account.id)
      _ = try await alice.when { device in
        try await device.messages(in: .person(account.id)).first { !$0.isOutgoing && $0.body == "And now?" }
      }
      #expect(bot.isRunning)
      // It has acknowledged everything: nothing is met again at its next start.
      kill(bot.processIdentifier, SIGTERM)
      bot.waitUntilExit()
      let left = try await Messenger.open(
        folder, for: .reading, MessengerEnvironment(swarms: NetworkSwarms(try Network(.init(.main)))))
      let unread = try await left.events(after: left.cursor(of: "echo"))
      #expect(unread.allSatisfy { $0.kind != .messageReceived }, "\(unread)")
      await left.stop()
    }
  }
}
