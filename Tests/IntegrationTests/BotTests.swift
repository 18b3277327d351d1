import Foundation
import SessionCore
import SessionMessaging
import SessionNode
import SessionStorage
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
      try bot.run()
      defer { kill(bot.processIdentifier, SIGKILL) }
      let alice = try await town.device(of: try Account.generate(), name: "Alice")
      // An echo cannot send back a file without a text. The texts behind it are as long as texts may be.
      let picture = place.appending(path: "picture.png")
      try Data([0x89, 0x50, 0x4E, 0x47]).write(to: picture)
      try await alice.send(OutgoingText(""), attachments: [OutgoingFile(path: picture.path)], to: account.id)
      let longest = String(repeating: "x", count: 2000)
      try await alice.send(longest, to: account.id)
      let asked = try await alice.send("Is there anybody?", to: account.id)
      let answer = try await alice.when { device -> MessageView? in
        guard try await device.conversation(account.id) != nil else { return nil }
        return try await device.messages(in: account.id)
          .first { !$0.isOutgoing && $0.body == "Is there anybody?" }
      }
      #expect(answer.quoted?.message == asked)
      let bodies = try await alice.messages(in: account.id).reversed().filter { !$0.isOutgoing }.map(\.body)
      #expect(bodies.filter { !$0.isEmpty } == [longest, "Is there anybody?"])
    }
  }
}
