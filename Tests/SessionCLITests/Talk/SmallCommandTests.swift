import Foundation
import SessionMessaging
import SessionNetworking
import SessionStorage
import Testing

@testable import SessionCLI

/// Commands that look at messages and files, or change many conversations.
@Suite(.timeLimit(.minutes(10))) struct SmallCommandTests {
  @Test func messagesAreFoundByAuthorAndTime() async throws {
    try await Household.with { home in
      try await home.friends()
      try await home.run("send", "bob", "Hello again", "--account", "alice")
      try await home.run("send", "alice", "Hello yourself", "--account", "bob")
      try await home.run("receive", "--ack", "--account", "alice")
      try await home.run("account", "use", "alice")
      func found(_ words: String...) async throws -> [String?] {
        try await home.json(["search", "Hello"] + words).map { $0["body"] as? String }
      }
      #expect(try await found().count == 3)
      #expect(try await found("--from", "bob") == ["Hello yourself"])
      #expect(try await found("--from", "me", "--limit", "1") == ["Hello again"])
      #expect(try await found("--since", "2001-01-01", "--until", "2002-01-01") == [])
      #expect(try await found("--since", "2001-01-01").count == 3)
      #expect(try await home.outcome(["search", "Hello", "--since", "yesterday"]).status == 64)

      // Numbers of messages, and what is known of one.
      let last = try #require(try await home.json("show", "bob").last)
      let id = try #require(last["id"] as? Int)
      let info = try #require(try await home.json("message", "info", "\(id)").first)
      #expect((info["message"] as? [String: Any])?["body"] as? String == "Hello yourself")
      #expect(info["characters"] as? Int == 14 && info["hash"] != nil && info["pro"] as? String == "none")
      #expect(try await home.run("message", "info", "\(id)").contains("Hello yourself") == false)
      #expect(try await home.outcome(["message", "info", "99999"]).status == 65)

      // What is unread.
      try await home.run("read", "--all", "--account", "bob")
      #expect(try await home.run("badge") == "1\n")
      let badge = try #require(try await home.json("badge").first)
      #expect(badge["unread"] as? Int == 1 && (badge["accounts"] as? [Any])?.count == 2)
      try await home.run("notify", "bob", "nothing")
      #expect(try await home.run("badge") == "0\n")
      #expect(try await home.outcome(["notify", "bob", "mentions"]).status == 64)
      try await home.run("notify", "bob", "all")
      // The sound of this device.
      try await home.run("notify", "bob", "--sound", "bell")
      func sound() async throws -> String? { try await home.json("chats").first?["sound"] as? String }
      #expect(try await sound() == "bell")
      try Data("ring".utf8).write(to: home.path("ring.oga"))
      try await home.run("notify", "bob", "all", "--sound", home.path("ring.oga").path)
      #expect(try await sound() == home.path("ring.oga").path)
      #expect(try await home.outcome(["notify", "bob", "--sound", "ring.oga"]).status == 64)
      #expect(try await home.outcome(["notify", "bob", "--sound", "/absent.oga"]).status != 0)
      #expect(try await home.outcome(["notify", "bob"]).status == 64)
      try await home.run("notify", "bob", "--sound", "default")
      #expect(try await sound() == nil)
      #expect(try await home.run("read", "--all", "--kind", "groups") == "0\n")
      #expect(try await home.run("read", "--all") == "1\n")
      #expect(try await home.run("read", "--all") == "0\n")
      #expect(try await home.run("badge") == "0\n")
      #expect(try await home.outcome(["read"]).status == 64)
      #expect(try await home.outcome(["read", "bob", "--all"]).status == 64)
    }
  }

  /// The blobs that the file server of the devnet keeps, the largest first.
  private func blobs(_ home: Household) throws -> [URL] {
    let keys: [URLResourceKey] = [.fileSizeKey, .isRegularFileKey]
    let all = FileManager.default.enumerator(at: home.program.folder, includingPropertiesForKeys: keys)
    let found = try (all?.compactMap { $0 as? URL } ?? []).filter {
      $0.path.contains("devnet") && $0.path.contains("/files/")
    }
    .map { ($0, try $0.resourceValues(forKeys: Set(keys))) }.filter { $0.1.isRegularFile == true }
    return found.sorted { $0.1.fileSize ?? 0 > $1.1.fileSize ?? 0 }.map(\.0)
  }

  @Test func theFileServerNamesTheVersionsOfApps() async throws {
    try await Household.with { home in
      _ = try await home.account("alice")
      let none = try await home.outcome(["net", "versions"])
      #expect(none.status == 0 && none.output.isEmpty)
      #expect(none.messages.contains("The file server knows of no version."))
      try Data("x".utf8).write(to: home.path("x.txt"))
      try await home.run("send", "me", "--attach", "x.txt")
      let folder = try #require(try blobs(home).first?.path.components(separatedBy: "/files/").first)
      try FileManager.default.createDirectory(atPath: folder + "/versions", withIntermediateDirectories: true)
      for (name, version) in [("ios", "2.15.3"), ("headless", "0.5.0"), ("other", "9")] {
        try Data(#"{"result":"\#(version)"}"#.utf8).write(
          to: URL(filePath: "\(folder)/versions/\(name).json"))
      }
      let found = try await home.json("net", "versions")
      #expect(found.map { $0["platform"] as? String } == ["ios", "headless"])
      #expect(found.map { $0["version"] as? String } == ["2.15.3", "0.5.0"])
      #expect(found.allSatisfy { $0["updated_at"] is Int })
      #expect(try await home.run("net", "versions").contains("ios       2.15.3"))
    }
  }

  @Test func savingGoesOnPastFilesThatAreGoneAndTellsOnce() async throws {
    try await Household.with { home in
      try await home.friends()
      for (name, size) in [("gone.bin", 90_000), ("first.bin", 3000), ("second.bin", 2000)] {
        try Data(repeating: 7, count: size).write(to: home.path(name))
        try await home.run("send", "bob", "--attach", name, "--account", "alice")
      }
      try FileManager.default.removeItem(at: try #require(try blobs(home).first))
      try await home.run("receive", "--ack", "--account", "bob")
      try FileManager.default.createDirectory(at: home.path("saved"), withIntermediateDirectories: true)
      let words = ["files", "save", "alice", "--to", "saved", "--download", "--account", "bob"]
      let saved = try await home.outcome(words)
      #expect(saved.status == 69)
      #expect(saved.output.contains("second.bin\n") && saved.output.contains("first.bin\n"))
      #expect(saved.messages.hasPrefix("Files that were not saved: 1.\n  message "))
      #expect(saved.messages.contains(", file 1, gone.bin: "))
      #expect(
        try Data(
          contentsOf: home.path("saved")
            .appending(
              path: try #require(saved.output.split(separator: "\n").first?.split(separator: "/").last)
                .description)
        ).count == 2000)
      // Another file has the name of one of them: that does not hide that one is gone.
      let first = try #require(saved.output.split(separator: "\n").first { $0.hasSuffix("first.bin") })
      try Data("another file".utf8).write(to: home.path(String(first)))
      let again = try await home.outcome(words)
      #expect(again.status == 69 && again.output.isEmpty && again.messages.contains("gone.bin"))
      #expect(again.messages.contains("other files have their names, such as \(first): 1."))
      // The notice goes in the background, and may still be queued when the command ends.
      var notes: [[String: Any]] = []
      for _ in 1...20 where notes.isEmpty {
        try await home.run("receive", "--ack", "--account", "bob")
        try await home.run("receive", "--ack", "--account", "alice")
        notes = try await home.json("show", "bob", "--account", "alice").filter {
          $0["kind"] as? String == "media-saved"
        }
      }
      #expect(notes.count == 1)
    }
  }

  @Test func filesForWhichThereIsNoTimeAreNotAskedFor() async throws {
    try await Household.with { home in
      try await home.friends()
      try Data("x".utf8).write(to: home.path("x.bin"))
      try await home.run("send", "bob", "--attach", "x.bin", "--account", "alice")
      try await home.run("receive", "--ack", "--account", "bob")
      let account = try AccountFolder(
        "bob", in: StorageRoots(environment: ["HOME": home.program.folder.path]))
      let bob = try await Messenger.open(account, MessengerEnvironment(swarms: UnreachableSwarms()))
      let files = try await bob.files(FileFilter()).map(\.numbered)
      let misses = try await FileFetching(io: MemoryIO().io(), timeout: .zero).misses(of: files, bob)
      #expect(misses.map(\.kind) == [.late])
      #expect(misses.map(\.file.file.id) == files.map(\.file.id))
      #expect(try await bob.files(FileFilter()).map(\.file.state) == [.remote])
      await bob.stop()
    }
  }

  @Test func filesAreListedAndTheirContentIsDeleted() async throws {
    try await Household.with { home in
      try await home.friends()
      try Data(repeating: 1, count: 3000).write(to: home.path("large.bin"))
      try Data("small".utf8).write(to: home.path("small.txt"))
      let picture = try #require(
        Data(
          base64Encoded:
            "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=="
        ))
      try picture.write(to: home.path("picture.png"))
      try await home.run(
        "send", "bob", "Three", "--attach", "large.bin", "--attach", "small.txt", "--attach", "picture.png",
        "--account", "alice")
      try await home.run("account", "use", "alice")
      func names(_ words: String...) async throws -> [String?] {
        try await home.json(["files", "list"] + words).map { $0["name"] as? String }
      }
      #expect(try await names("bob") == ["large.bin", "small.txt", "picture.png"])
      #expect(try await names() == ["large.bin", "small.txt", "picture.png"])
      #expect(try await names("--kind", "image") == ["picture.png"])
      #expect(try await names("bob", "--from", "bob") == [])
      #expect(try await names("bob", "--limit", "1") == ["large.bin"])
      // A page may end within a message.
      let album = "\(try #require(try await home.json("files", "list").first?["message"] as? Int))"
      let page = try await home.outcome(["files", "list", "bob", "--limit", "2"])
      #expect(page.messages == "More: --before \(album) --behind 2\n")
      #expect(
        try await names("bob", "--limit", "2", "--before", album, "--behind", "1")
          == ["small.txt", "picture.png"])
      #expect(try await names("--before", album, "--behind", "2") == ["picture.png"])
      #expect(try await names("--before", album, "--behind", "3").isEmpty)
      #expect(try await names("--before", album).isEmpty)
      #expect(try await home.outcome(["files", "list", "--behind", "1"]).status == 64)
      #expect(try await home.outcome(["files", "list", "me", "--before", album]).status == 65)
      #expect(try await home.json("files", "list", "--kind", "link").isEmpty)
      #expect(try await home.outcome(["files", "list", "--kind", "link", "--state", "ready"]).status == 64)

      // All of them into a folder.
      try FileManager.default.createDirectory(at: home.path("saved"), withIntermediateDirectories: true)
      let saved = try await home.run("files", "save", "bob", "--to", "saved")
      #expect(
        saved
          == "saved/\(album)-1-large.bin\nsaved/\(album)-2-small.txt\nsaved/\(album)-3-picture.png\n")
      #expect(try Data(contentsOf: home.path("saved/\(album)-1-large.bin")).count == 3000)
      #expect(try await home.run("files", "save", "bob", "--to", "saved") == "")
      // Another file of the same name, such as that of another account, is neither replaced nor taken for it.
      let other = "saved/\(album)-2-small.txt"
      try Data("another file".utf8).write(to: home.path(other))
      let refused = try await home.outcome(["files", "save", "bob", "--to", "saved"])
      #expect(refused.status == 73 && refused.output.isEmpty && refused.messages.contains(other))
      #expect(try Data(contentsOf: home.path(other)) == Data("another file".utf8))
      #expect(try await home.outcome(["files", "save", "bob", "--to", "nowhere"]).status == 73)
      #expect(try await home.outcome(["files", "save", "bob"]).status == 64)
      #expect(try await names("me").isEmpty)
      #expect(try await home.outcome(["files", "delete", "--larger-than", "1k"]).status == 64)
      #expect(try await home.run("files", "delete", "--older-than", "1d", "--yes") == "0\n")
      #expect(
        try await home.run("files", "delete", "--larger-than", "1k", "--in", "bob", "--yes") == "3000\n")
      #expect(try await names("--state", "remote") == ["large.bin"])
      #expect(try await names("--state", "ready") == ["small.txt", "picture.png"])
      // The server still has it.
      let id = try #require(try await home.json("files", "list").first?["message"] as? Int)
      let missing = try await home.outcome(["files", "save", "bob", "--to", ".", "--kind", "file"])
      #expect(missing.output == "./\(id)-2-small.txt\n")
      #expect(missing.messages == "Files that are not on this device: 1. --download fetches them.\n")
      #expect(
        try await home.run("files", "save", "bob", "--to", ".", "--kind", "file", "--download")
          == "./\(id)-1-large.bin\n")
      try await home.run("files", "delete", "--larger-than", "1k", "--yes")
      try await home.run("attachment", "save", "\(id)", "1", "--to", "again.bin")
      #expect(try Data(contentsOf: home.path("again.bin")).count == 3000)
      #expect(try await home.run("db", "check").contains("undamaged"))
    }
  }
}
