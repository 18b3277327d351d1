import Foundation
import SessionBase
import SessionCore
import SessionService
import SessionStorage
import Testing

@testable import SessionServers

/// Backups of a server, and servers that are restored from them.
@Suite(.timeLimit(.minutes(10))) struct CommunityBackupTests {
  private static let cost = PassphraseKey.Cost(passes: 1, memory: 8192)

  private func secret(_ text: String) throws -> SecretBytes { try SecretBytes(copying: bytes(text)) }

  private func back(
    up site: CommunitySite, to path: String, passphrase: String? = "one two", includesKey: Bool = true
  ) async throws -> CommunityBackup.Report {
    let secret = try passphrase.map { try self.secret($0) }
    return try await CommunityBackup(
      ofFolder: site.folder.path, passphrase: secret, includesKey: includesKey, cost: Self.cost
    ).write(to: path)
  }

  @discardableResult
  private func restore(
    _ path: String, to folder: String, passphrase: String? = "one two", key: String? = nil
  ) async throws -> CommunityRestore.Report {
    let secret = try passphrase.map { try self.secret($0) }
    return try await CommunityRestore(toFolder: folder, key: key).restore(path) { secret }
  }

  private func upload(
    _ content: [UInt8], as member: Member, to site: CommunitySite
  ) async throws -> Int64 {
    let answer = try await site.call(
      member, "POST", "/room/lobby/file", content,
      headers: [("Content-Disposition", "attachment; filename=\"a.txt\"")])
    return try #require(answer.json["id"]?.integer, "\(answer.text)")
  }

  /// Posts a text with a file.
  private func post(_ text: String, file: Int64, as member: Member, to site: CommunitySite) async throws {
    let json = try member.post(text, [.init("files", .array([.integer(file)]))])
    try #require(try await site.call(member, "POST", "/room/lobby/message", json: json).status == 201)
  }

  @Test(arguments: ["one two", nil])
  func aRestoredServerHasRoomsMessagesPeopleAndFiles(passphrase: String?) async throws {
    let (folder, clock) = (try TemporaryFolder(), TestClock())
    let backup = folder.path + "/chat.backup"
    let old = try TemporaryFolder()
    var (key, file, member): ([UInt8], Int64, Member?) = ([], 0, nil)
    // More than one frame.
    let content = [UInt8](repeating: 7, count: 1_500_000)
    try await withCommunity(in: old, clock: clock) { (site) async throws in
      let admin = try await site.admin()
      file = try await upload(content, as: admin, to: site)
      try await post("with a file", file: file, as: admin, to: site)
      for number in 0..<3 { try await site.post("text \(number)", as: admin) }
      (key, member) = (site.server.key, admin)
      let report = try await back(up: site, to: backup, passphrase: passphrase)
      #expect(report.rooms == 1)
      #expect(report.messages == 4)
      #expect(report.files == 1)
      #expect(report.missing == 0)
    }
    let stored = try Data(contentsOf: URL(fileURLWithPath: backup))
    #expect((stored.range(of: Data(content.prefix(100))) != nil) == (passphrase == nil))
    let new = try await restoredFolder(backup, passphrase: passphrase)
    try await withCommunity(in: new, clock: clock) { (site) async throws in
      #expect(site.server.key == key)
      let admin = try #require(member)
      #expect(
        try await site.texts(nil, "/room/lobby/messages/since/0")
          == ["with a file", "text 0", "text 1", "text 2"])
      let answer = try await site.call(nil, "GET", "/room/lobby/file/\(file)")
      #expect(answer.body == content)
      #expect(try await site.call(admin, "GET", "/room/lobby/bans").status == 200)
    }
  }

  private func restoredFolder(_ backup: String, passphrase: String?) async throws -> TemporaryFolder {
    let folder = try TemporaryFolder()
    try await restore(backup, to: folder.path, passphrase: passphrase)
    return folder
  }

  @Test func aClientThatPollsAcrossARestoreSeesNewMessagesAndNoNumberTwice() async throws {
    let (folder, old, clock) = (try TemporaryFolder(), try TemporaryFolder(), TestClock())
    let backup = folder.path + "/chat.backup"
    var (cursor, numbers, lastFile, letter): (Int64, Set<Int64>, Int64, Int64) = (0, [], 0, 0)
    var people: [Member] = []
    try await withCommunity(in: old, clock: clock) { (site) async throws in
      people = [try site.member(), try site.member()]
      _ = try await site.call(people[1], "GET", "/rooms")
      try await site.post("before", as: people[0])
      _ = try await back(up: site, to: backup)
      // What the backup does not have, and the clients have seen.
      for number in 0..<4 { try await site.post("lost \(number)", as: people[0]) }
      lastFile = try await upload([1, 2, 3], as: people[0], to: site)
      letter = try await send([0] + [UInt8](repeating: 1, count: 99), from: people[0], to: people[1], site)
      let page = try await site.call(nil, "GET", "/room/lobby/messages/since/0").json.elements
      let places = page.compactMap { $0["seqno"]?.integer }
      cursor = try #require(places.max())
      numbers = Set(page.compactMap { $0["id"]?.integer })
    }
    let new = try await restoredFolder(backup, passphrase: "one two")
    try await withCommunity(in: new, clock: clock) { (site) async throws in
      #expect(try await site.texts(nil, "/room/lobby/messages/since/\(cursor)") == [])
      let message = try await site.post("after", as: people[0])
      #expect(try await site.texts(nil, "/room/lobby/messages/since/\(cursor)") == ["after"])
      let number = try #require(message["id"]?.integer)
      #expect(!numbers.contains(number))
      #expect(try await upload([1, 2, 3], as: people[0], to: site) > lastFile)
      let later = try await send(
        [0] + [UInt8](repeating: 1, count: 99), from: people[0], to: people[1], site)
      #expect(later > letter)
      let inbox = try await site.call(people[1], "GET", "/inbox/since/\(letter)").json.elements
      #expect(inbox.compactMap { $0["id"]?.integer } == [later])
    }
  }

  private func send(
    _ letter: [UInt8], from sender: Member, to recipient: Member, _ site: CommunitySite
  ) async throws -> Int64 {
    let answer = try await site.call(
      sender, "POST", "/inbox/\(recipient.id)", json: ["message": .string(letter.base64)])
    return try #require(answer.json["id"]?.integer, "\(answer.text)")
  }

  @Test func membersPostWhileABackupIsWritten() async throws {
    let folder = try TemporaryFolder()
    try await withCommunity { (site) async throws in
      let members = try (0..<20).map { _ in try site.member() }
      for member in members { try await site.post("before", as: member) }
      let texts = try await withThrowingTaskGroup(of: Int.self) { group in
        group.addTask { try await back(up: site, to: folder.path + "/a").messages }
        group.addTask {
          for member in members { try await site.post("meanwhile", as: member) }
          return 0
        }
        return try await group.reduce(0, +)
      }
      #expect(20...40 ~= texts)
      let all = try await site.texts(nil, "/room/lobby/messages/since/0?limit=256")
      #expect(all.count == 40)
    }
    let new = try await restoredFolder(folder.path + "/a", passphrase: "one two")
    try await withCommunity(in: new) { (site) async throws in
      #expect(try await site.texts(nil, "/room/lobby/messages/since/0?limit=256").count >= 20)
    }
  }

  @Test func theContentOfDeletedFilesStaysUntilTheBackupIsWritten() async throws {
    try await withCommunity { (site) async throws in
      let member = try site.member()
      let file = try await upload([1, 2, 3], as: member, to: site)
      let place = try #require(
        try await site.server.store.read { (transaction) -> String? in
          try transaction.value("SELECT place FROM file WHERE id = ?1", file)
        })
      let path = site.server.rules.shelves.shelves.path(of: place)
      let lock = try FileLock(site.folder.path + "/backup.lock", of: "a server", purpose: "a test")
      site.clock.advance(.seconds(4000))
      try await site.tidy()
      #expect(try await site.server.store.read { try $0.fileBytes() } == 0)
      #expect(FileManager.default.fileExists(atPath: path))
      withExtendedLifetime(lock) {}
      await #expect(throws: CommunityBackupFailure.alreadyRunning) {
        try await back(up: site, to: site.folder.path + "/a")
      }
      _ = consume lock
      try await site.tidy()
      #expect(!FileManager.default.fileExists(atPath: path))
    }
  }

  // MARK: - Refusals

  /// A backup of a server with some messages and a file, and the folder where it is.
  private func backup(
    passphrase: String? = "one two", includesKey: Bool = true
  ) async throws -> (path: String, folder: TemporaryFolder, key: [UInt8]) {
    let (folder, old) = (try TemporaryFolder(), try TemporaryFolder())
    try await withCommunity(in: old) { (site) async throws in
      let member = try site.member()
      let file = try await upload([UInt8](repeating: 1, count: 3000), as: member, to: site)
      try await post("with a file", file: file, as: member, to: site)
      _ = try await back(
        up: site, to: folder.path + "/a", passphrase: passphrase, includesKey: includesKey)
    }
    let key = Array(try Data(contentsOf: URL(fileURLWithPath: old.path + "/key_x25519")))
    return (folder.path + "/a", folder, key)
  }

  /// Restores what is refused; nothing is left of it.
  private func expectRefusal(
    _ failure: CommunityBackupFailure, _ path: String, passphrase: String? = "one two", key: String? = nil,
    sourceLocation: SourceLocation = #_sourceLocation
  ) async throws {
    let folder = try TemporaryFolder()
    await #expect(throws: failure, sourceLocation: sourceLocation) {
      try await restore(path, to: folder.path + "/new", passphrase: passphrase, key: key)
    }
    #expect(
      try FileManager.default.contentsOfDirectory(atPath: folder.path) == [], sourceLocation: sourceLocation)
  }

  @Test func theWrongPassphraseRestoresNothing() async throws {
    let backup = try await backup()
    try await expectRefusal(.wrongPassphrase, backup.path, passphrase: "one three")
    try await expectRefusal(.passphraseNeeded, backup.path, passphrase: nil)
  }

  @Test(arguments: ["one two", nil])
  func aTruncatedBackupRestoresNothing(passphrase: String?) async throws {
    let backup = try await backup(passphrase: passphrase)
    let whole = try Data(contentsOf: URL(fileURLWithPath: backup.path))
    let cut = backup.folder.path + "/cut"
    for count in [9, 20, 200, 5000, whole.count / 2, whole.count - 20, whole.count - 1] {
      try whole.prefix(count).write(to: URL(fileURLWithPath: cut))
      try await expectRefusal(.truncated, cut, passphrase: passphrase)
    }
  }

  @Test(arguments: ["one two", nil])
  func aDamagedBackupRestoresNothing(passphrase: String?) async throws {
    let backup = try await backup(passphrase: passphrase)
    let whole = try Data(contentsOf: URL(fileURLWithPath: backup.path))
    let changed = backup.folder.path + "/changed"
    for place in [whole.count / 4, whole.count / 2] {
      var bytes = whole
      bytes[place] ^= 1
      try bytes.write(to: URL(fileURLWithPath: changed))
      try await expectRefusal(.damaged, changed, passphrase: passphrase)
    }
    // Of what is sealed, a damaged end is as good as none.
    var damagedEnd = whole
    damagedEnd[whole.count - 30] ^= 1
    let (folder, path) = (try TemporaryFolder(), changed)
    for bytes in [damagedEnd, whole + [0]] {
      try bytes.write(to: URL(fileURLWithPath: path))
      await #expect(throws: CommunityBackupFailure.self) {
        try await restore(path, to: folder.path + "/new", passphrase: passphrase)
      }
    }
    #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path) == [])
  }

  @Test func otherFilesAreNoBackups() async throws {
    let folder = try TemporaryFolder()
    let path = folder.path + "/a"
    for text in ["", "SESSCO", "another file, with some text in it", "SESSCOMC\u{1}\u{0}"] {
      try Data(text.utf8).write(to: URL(fileURLWithPath: path))
      try await expectRefusal(.foreign(path), path)
    }
    try Data("SESSCOMB\u{2}\u{0}".utf8).write(to: URL(fileURLWithPath: path))
    try await expectRefusal(.newerFormat, path)
    // A cost that would take the memory of the machine.
    let cost: [UInt8] = [1, 1, 0, 0, 0, 3, 0xFF, 0, 0, 0, 0, 0, 0, 0]
    try Data(bytes("SESSCOMB") + cost + [UInt8](repeating: 0, count: 200)).write(
      to: URL(fileURLWithPath: path))
    try await expectRefusal(.damaged, path)
  }

  @Test func aFileNameFromTheBackupDoesNotLeadOutOfTheFolder() async throws {
    let backup = try await backup(passphrase: nil)
    let reader = try BackupReader(backup.path) { nil }
    let out = backup.folder.path + "/b"
    try await FileWriter.write(out) { file in
      let writer = try await BackupWriter.begin(file, passphrase: nil, cost: Self.cost)
      while true {
        var frame = try reader.next()
        if frame.kind == .file {
          frame = try BackupFrame(.file, json: BackupFrame.File(place: "../../../evil", size: 3000))
        }
        try await writer.write(frame)
        if frame.kind == .end { break }
      }
      try await writer.finish()
    }
    try await expectRefusal(.damaged, out, passphrase: nil)
  }

  @Test func aBackupWithoutTheKeyNeedsTheKeyOfThatServer() async throws {
    let backup = try await backup(includesKey: false)
    try await expectRefusal(.keyMissing, backup.path)
    let key = backup.folder.path + "/key"
    try Data(try SecretBytes.random(count: 32).reveal()).write(to: URL(fileURLWithPath: key))
    try await expectRefusal(.wrongKey, backup.path, key: key)
    try Data(backup.key).write(to: URL(fileURLWithPath: key))
    let report = try await restore(backup.path, to: backup.folder.path + "/new", key: key)
    #expect(report.files == 1)
  }

  @Test func aFolderWithFilesIsNotTouched() async throws {
    let backup = try await backup()
    let folder = try TemporaryFolder()
    try Data("mine".utf8).write(to: URL(fileURLWithPath: folder.path + "/x"))
    await #expect(throws: CommunityBackupFailure.folderInUse(folder.path)) {
      try await restore(backup.path, to: folder.path)
    }
    #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path) == ["x"])
  }

  @Test func aBackupReplacesNoFile() async throws {
    try await withCommunity { (site) async throws in
      let path = site.folder.path + "/chat.backup"
      try Data("mine".utf8).write(to: URL(fileURLWithPath: path))
      await #expect { try await back(up: site, to: path) } throws: { ($0 as? FileError)?.code == .exists }
      #expect(try Data(contentsOf: URL(fileURLWithPath: path)) == Data("mine".utf8))
    }
  }

  @Test func aCancelledBackupLeavesNothing() async throws {
    let folder = try TemporaryFolder()
    try await withCommunity { (site) async throws in
      let task = Task {
        withUnsafeCurrentTask { $0?.cancel() }
        return try await back(up: site, to: folder.path + "/a")
      }
      await #expect(throws: CancellationError.self) { try await task.value }
      #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path) == [])
    }
  }

  @Test func whatAKilledBackupHasLeftIsNotInTheWay() async throws {
    let folder = try TemporaryFolder()
    try await withCommunity { (site) async throws in
      try await site.post("hello", as: try site.member())
      let left = site.folder.path + "/backup.db"
      try Data([UInt8](repeating: 7, count: 100_000)).write(to: URL(fileURLWithPath: left))
      #expect(try await back(up: site, to: folder.path + "/a").messages == 1)
      #expect(!FileManager.default.fileExists(atPath: left))
    }
    try await restore(folder.path + "/a", to: folder.path + "/new")
  }

  @Test func filesInAnotherFolderAreBackedUp() async throws {
    let (folder, files) = (try TemporaryFolder(), try TemporaryFolder())
    try await withCommunity(in: folder) { options in
      options.files = files.path
    } body: { (site) async throws in
      let admin = try await site.admin()
      try await post(
        "with a file", file: try await upload([1, 2, 3], as: admin, to: site), as: admin, to: site)
      let report = try await CommunityBackup(
        ofFolder: folder.path, files: files.path, passphrase: nil, cost: Self.cost
      ).write(to: folder.path + "/chat.backup")
      #expect(report.files == 1 && report.missing == 0)
    }
  }

  /// A database without files may be the wrong one.
  @Test func filesBesideADatabaseWithoutFilesStay() async throws {
    let files = try TemporaryFolder()
    for hasFiles in [true, false] {
      try await withCommunity { options in
        options.files = files.path
      } body: { (site) async throws in
        guard hasFiles else { return }
        let admin = try await site.admin()
        try await post(
          "with a file", file: try await upload([1, 2, 3], as: admin, to: site), as: admin, to: site)
      }
      let paths = try FileManager.default.subpathsOfDirectory(atPath: files.path)
      #expect(paths.contains { $0.split(separator: "/").last?.count == 32 }, "\(paths)")
    }
  }

  @Test func anInterruptedRestoreIsBegunAgain() async throws {
    let backup = try await backup()
    let folder = try TemporaryFolder()
    // What a killed restore leaves.
    let work = folder.path + "/new.restoring"
    try FileManager.default.createDirectory(atPath: work + "/files/aa", withIntermediateDirectories: true)
    try Data("part".utf8).write(to: URL(fileURLWithPath: work + "/community.db"))
    try await restore(backup.path, to: folder.path + "/new")
    #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path) == ["new"])
  }

  @Test func theNumbersOfARunningServerDoNotMove() async throws {
    try await withCommunity { (site) async throws in
      await #expect { try await CommunityRestore.skipNumbers(inFolder: site.folder.path) } throws: {
        guard case ServiceFailure.folderInUse = $0 else { return false }
        return true
      }
    }
  }

  @Test func numbersDoNotMoveInAFolderWithoutADatabase() async throws {
    let folder = try TemporaryFolder()
    await #expect { try await CommunityRestore.skipNumbers(inFolder: folder.path) } throws: {
      $0 as? CommunityBackupFailure == .noDatabase(folder.path)
    }
    #expect(!FileManager.default.fileExists(atPath: folder.path + "/community.db"))
  }

  @Test func numbersMoveOnInAFolderThatAnotherToolRestored() async throws {
    let (folder, clock) = (try TemporaryFolder(), TestClock())
    var member: Member?
    try await withCommunity(in: folder, clock: clock) { (site) async throws in
      member = try site.member()
      try await site.post("one", as: try #require(member))
    }
    try await CommunityRestore.skipNumbers(inFolder: folder.path)
    try await withCommunity(in: folder, clock: clock) { (site) async throws in
      let message = try await site.post("two", as: try #require(member))
      #expect(message["id"]?.integer == 1_000_002)
      #expect(message["seqno"]?.integer == 1_000_002)
    }
  }
}
