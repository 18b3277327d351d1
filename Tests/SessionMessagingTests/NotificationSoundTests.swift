import Foundation
import Glibc
import SessionCore
import SessionStorage
import Testing

@testable import SessionMessaging

/// The sounds of notifications.
@Suite struct NotificationSoundTests {
  @Test(arguments: ["default", "none", "message-new-instant", "Bell_2", "/home/a/ring tone.oga"])
  func soundsAreReadAsTheyAreWritten(text: String) throws {
    #expect(try NotificationSound(parsing: text).text == text)
  }

  @Test(
    arguments: [
      "", "ring.oga", "../x", "two words", "a/b", "\u{202E}x", "/a\nb", "/a\0b",
      String(repeating: "a", count: 65),
      "/" + String(repeating: "a", count: 4096),
    ])
  func otherTextsAreNoSounds(text: String) {
    let error = #expect(throws: MessengerError.self) { try NotificationSound(parsing: text) }
    #expect(error?.code == .notAllowed)
  }

  /// The message does not tell why, so that it does not reveal what files there are.
  @Test func onlySmallRegularFilesAreSounds() async throws {
    let folder = FileManager.default.temporaryDirectory.appending(path: "sounds-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: false)
    defer { try? FileManager.default.removeItem(at: folder) }
    func path(_ name: String) -> String { folder.appending(path: name).path }
    func check(_ path: String) async -> MessengerError? {
      do throws(MessengerError) { try await NotificationSound.file(path).checkFile() } catch { return error }
      return nil
    }
    try Data(count: Int(NotificationSound.maxFile)).write(to: folder.appending(path: "a.oga"))
    try Data(count: Int(NotificationSound.maxFile) + 1).write(to: folder.appending(path: "large.oga"))
    try #require(mkfifo(path("pipe.oga"), 0o600) == 0)
    #expect(await check(path("a.oga")) == nil)
    var messages: Set<String> = []
    for path in [path("large.oga"), path("pipe.oga"), folder.path, path("absent.oga")] {
      let error = try #require(await check(path), "\(path)")
      #expect(error.code == .fileUnavailable, "\(path)")
      messages.insert(error.message)
    }
    #expect(messages.count == 1)
  }

  @Test func aConversationKeepsItsSoundOnThisDevice() async throws {
    try await withAliceAndBob { (world, alice, bob) async throws in
      let other = try await world.device(of: alice.context.account)
      let chat = Conversation.ID.person(bob.id)
      #expect(try await alice.conversation(chat)?.sound == .usual)
      try await alice.setSound(.named("bell"), chat)
      try await world.settle()
      #expect(try await alice.conversation(chat)?.sound == .named("bell"))
      #expect(try await other.conversation(chat)?.sound == .usual)
      #expect(try await alice.kinds().last == .conversationChanged)
      try await alice.setSound(.usual, chat)
      #expect(try await alice.conversation(chat)?.sound == .usual)
      await #expect(throws: MessengerError.self) { try await alice.setSound(.file("/absent"), chat) }
      await #expect(throws: MessengerError.self) {
        try await alice.setSound(.none, .person(Account.generate().id))
      }
    }
  }
}
