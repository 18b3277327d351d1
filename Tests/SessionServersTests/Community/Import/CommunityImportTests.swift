import CSQLCipher
import Foundation
import SessionBase
import SessionCore
import SessionStorage
import Testing

@testable import SessionServers

/// Servers that are imported from pysogs.
@Suite(.timeLimit(.minutes(10))) struct CommunityImportTests {
  /// The clock after the import, in milliseconds.
  private static let now: UInt64 = 2_000_000

  /// Imports a server, and runs it.
  private func withImported(
    _ old: PysogsFixture, _ body: (CommunitySite, CommunityImportReport) async throws -> Void
  ) async throws {
    let folder = try TemporaryFolder()
    let report = try await old.imported(to: folder.path, now: Self.now)
    try await withCommunity(in: folder, clock: TestClock(now: Self.now)) { (site) async throws in
      try await body(site, report)
    }
  }

  private func counts(_ report: CommunityImportReport, _ table: String) -> [Int] {
    report.tables.first { $0.name == table }.map { [$0.old, $0.new] } ?? []
  }

  @Test func membersOfAnImportedServerNoticeNothing() async throws {
    let old = try PysogsFixture()
    let (writer, admin) = (try old.member(), try old.member(.blinded25))
    try old.addUser(1, writer.id)
    try old.addUser(2, admin.id, "0, 1, 1, 1")
    try old.addMessage(11, "one", by: writer, user: 1, sequence: 1)
    try old.addMessage(12, "two", by: admin, user: 2, sequence: 2)
    try old.addFile(5, [1, 2, 3], user: 1, message: "11", expiry: "9e6")
    try old.run(
      """
      INSERT INTO messages VALUES (13, 1, 1, 1100.0, 1200.0, NULL, NULL, NULL, 0, NULL, 0, 4, 4, 0, 3);
      UPDATE messages SET seqno = 6, seqno_reactions = 6 WHERE id = 12;
      INSERT INTO reactions VALUES (3, 12, '👍'), (4, 12, '🎉');
      INSERT INTO user_reactions VALUES (3, 1, 1300.0), (4, 2, 1400.0);
      INSERT INTO pinned_messages VALUES (1, 11, 2, 1500.0);
      INSERT INTO room_users VALUES (1, 1, 1999.0);
      INSERT INTO inbox VALUES (8, 1, 2, x'00\(String(repeating: "11", count: 60))', 1600.0, 9e6);
      INSERT INTO file_id_hacks VALUES (1, 77, 5);
      """)
    try await withImported(old) { (site, report) async throws in
      #expect(report.leftOut == [])
      #expect(report.wrongSignatures == 0)
      #expect(counts(report, "messages") == [3, 3])
      #expect(site.server.key == old.key)
      let room = try await site.call(nil, "GET", "/room/lounge").json
      #expect(room["name"] == "The Lounge")
      #expect(room["message_sequence"] == 7)
      #expect(room["info_updates"] == 4)
      #expect(room["upload"] == nil || room["default_upload"] == nil)
      let page = try await site.call(nil, "GET", "/room/lounge/messages/since/0?t=r").json.elements
      #expect(page.map { $0["id"]?.integer } == [11, 12])
      #expect(page.first.flatMap { Member.text($0) } == "one")
      #expect(page.first?["session_id"]?.string == writer.id)
      #expect(page.last?["reactions"]?.names == ["👍", "🎉"])
      // A client that has read until 3 gets what has changed since.
      let later = try await site.call(nil, "GET", "/room/lounge/messages/since/3?t=r").json.elements
      #expect(later.map { $0["id"]?.integer } == [13, 12])
      #expect(try await site.call(nil, "GET", "/room/lounge/file/5").body == [1, 2, 3])
      #expect(try await site.call(nil, "GET", "/room/lounge/file/77").body == [1, 2, 3])
      #expect(try await site.call(admin, "GET", "/room/lounge/bans").status == 200)
      let inbox = try await site.call(writer, "GET", "/inbox").json.elements
      #expect(inbox.map { $0["id"]?.integer } == [8])
      #expect(inbox.first?["sender"]?.string == admin.id)
      let message = try await site.post("three", as: writer, in: "lounge")
      #expect(message["id"] == 14)
      #expect(message["seqno"] == 8)
    }
  }

  @Test func allIdsOfAnAccountBecomeOnePersonAndABanCounts() async throws {
    let old = try PysogsFixture()
    let account = try Account.generate()
    let member = try old.member(of: account)
    var negated = Array(try [UInt8](hex: member.id.dropFirst(2).utf8))
    negated[31] ^= 0x80
    try old.addUser(1, member.id, "0, 1, 0, 1")
    try old.addUser(2, "15" + negated.hex, "1, 0, 0, 0")
    try old.addUser(3, account.id.description, "0, 0, 1, 0")
    try old.addUser(4, "ff" + [UInt8](repeating: 0, count: 32).hex)
    try old.addUser(5, "deleted")
    try old.run(
      """
      INSERT INTO user_permission_overrides VALUES (1, 1, 0, 1, NULL, NULL, 1, 0, 0, 0),
        (1, 3, 0, 0, NULL, 1, NULL, 0, 0, 0);
      """)
    try await withImported(old) { (site, report) async throws in
      let people: [[UInt8]] = try await site.server.store.read { try $0.values("SELECT key FROM person") }
      #expect(people.count == 2)
      #expect(people.contains([UInt8](repeating: 0, count: 32)))
      #expect(report.bannedModerators.count == 1)
      #expect(try await site.call(member, "GET", "/rooms").status == 403)
      #expect(try await site.call(try member.with(.blinded25), "GET", "/rooms").status == 403)
      let role: Int64? = try await site.server.store.read {
        try $0.value("SELECT role FROM person WHERE role > 0")
      }
      #expect(role == 2)
      // False beats true, and what is set beats what is not.
      let override = try await site.server.store.read { (transaction) -> OverrideRow? in
        try transaction.first("SELECT \(OverrideRow.columns) FROM override")
      }
      #expect(override?.canRead == false)
      #expect(override?.canWrite == true)
      #expect(override?.canUpload == true)
      #expect(override?.canAccess == nil)
    }
  }

  @Test func eachRowThatMakesNoSenseIsLeftOutWithItsReason() async throws {
    let old = try PysogsFixture()
    let writer = try old.member()
    try old.addUser(1, writer.id)
    try old.addMessage(1, "one", by: writer, user: 1, sequence: 1)
    try old.run(
      """
      INSERT INTO rooms VALUES (2, 'no/token', 'x', '', NULL, 1, 0, 0, 0, 1, 1, 1, 1),
        (3, 'LOUNGE', 'twice', '', NULL, 1, 0, 0, 0, 1, 1, 1, 1),
        (4, 'far', 'x', '', NULL, 1, 9e18, 0, 0, 1, 1, 1, 1);
      INSERT INTO users VALUES (9, x'00', 1, 1, 0, 0, 0, 0);
      INSERT INTO messages VALUES
        (20, 2, 1, 1, NULL, x'01', 1, zeroblob(64), 0, NULL, 0, 2, 2, 0, 2),
        (21, 1, 99, 1, NULL, x'01', 1, zeroblob(64), 0, NULL, 0, 2, 2, 0, 2),
        (22, 1, 1, 'yesterday', NULL, x'01', 1, zeroblob(64), 0, NULL, 0, 2, 2, 0, 2),
        (23, 1, 1, 1, NULL, x'01', 1, x'01', 0, NULL, 0, 2, 2, 0, 2),
        (24, 1, 1, 1, NULL, x'0102', 1, zeroblob(64), 0, NULL, 0, 2, 2, 0, 2),
        (25, 1, 1, 1, NULL, x'01', 1, zeroblob(64), 0, NULL, 0, -5, -5, 0, -5),
        (26, 1, 1, 9e300, NULL, x'01', 1, zeroblob(64), 0, NULL, 0, 2, 2, 0, 2),
        (27, 1, 1, 1, NULL, x'01', 999999999, zeroblob(64), 0, NULL, 0, 2, 2, 0, 2),
        (28, 1, 1, 1, NULL, x'01', 1, zeroblob(64), 0, NULL, 0, 3, 3, 0, 3);
      INSERT INTO reactions VALUES (1, 1, 'a/b'), (2, 99, '👍'), (3, 1, '👍');
      INSERT INTO user_reactions VALUES (1, 1, 1), (2, 1, 1), (3, 1, 1), (3, 1, 2);
      INSERT INTO pinned_messages VALUES (1, 99, 1, 1), (2, 1, 1, 1);
      INSERT INTO message_history VALUES (1, x'01', zeroblob(64), -9e9), (99, x'01', zeroblob(64), 1999);
      INSERT INTO inbox VALUES (1, 1, 99, x'00', 1, 9e6), (2, 1, 1, x'00', 1, 2);
      INSERT INTO user_permission_futures VALUES (1, 1, 9e6, NULL, NULL, NULL), (7, 1, 9e6, 1, NULL, NULL);
      INSERT INTO user_request_nonces VALUES (1, x'01', 9e6), (1, zeroblob(16), 9e6), (1, zeroblob(16), 9e6);
      INSERT INTO file_id_hacks VALUES (1, 5, 99);
      """)
    try await withImported(old) { (site, report) async throws in
      var found: [String: [Int64?]] = [:]
      for row in report.leftOut { found[row.table, default: []].append(row.number) }
      #expect(found["rooms"] == [2, 3, 4])
      #expect(found["users"] == [9])
      #expect(found["messages"] == [20, 21, 22, 23, 24, 25, 26, 27])
      #expect(found["user_reactions"]?.count == 3)
      #expect(found["pinned_messages"]?.count == 2)
      #expect(found["message_history"]?.count == 2)
      #expect(found["inbox"] == [1, 2])
      #expect(found["user_permission_futures"]?.count == 2)
      #expect(found["user_request_nonces"]?.count == 2)
      #expect(found["file_id_hacks"]?.count == 1)
      #expect(counts(report, "messages") == [10, 2])
      // It has a text and a signature, which is wrong.
      #expect(report.wrongSignatures == 1)
      #expect(report.leftOut.allSatisfy { !$0.reason.isEmpty })
      #expect(try await site.call(nil, "GET", "/rooms").json.elements.count == 2)
      #expect(try await site.call(nil, "GET", "/room/lounge/messages/since/0").json.elements.count == 2)
    }
  }

  @Test func filesThatAreMissingElsewhereOrExpiredAreLeftOut() async throws {
    let old = try PysogsFixture()
    let writer = try old.member()
    try old.addUser(1, writer.id)
    try old.addMessage(1, "one", by: writer, user: 1, sequence: 1)
    try old.write([9, 9, 9], to: "secret")
    let picture: [UInt8] = [0xFF, 0xD8, 0xFF, 1]
    try old.addFile(1, picture, user: 1)
    try old.addFile(2, [1], user: 1, message: "1", expiry: "1.0")
    try old.addFile(3, [9, 9, 9], user: 1, message: "1", path: "uploads/../secret")
    try old.addFile(4, [1, 2], user: 1, message: "1")
    try old.write([1], to: "uploads/lounge/4_file")
    try old.addFile(5, [1, 2], user: 1, message: "1")
    try FileManager.default.removeItem(atPath: old.folder.path + "/uploads/lounge/5_file")
    try old.addFile(6, [9, 9, 9], user: 1, message: "1")
    try FileManager.default.removeItem(atPath: old.folder.path + "/uploads/lounge/6_file")
    try FileManager.default.createSymbolicLink(
      atPath: old.folder.path + "/uploads/lounge/6_file", withDestinationPath: old.folder.path + "/secret")
    try old.run("UPDATE rooms SET image = 1")
    try await withImported(old) { (site, report) async throws in
      #expect(report.leftOut.map(\.number) == [2, 3, 4, 5, 6])
      #expect(report.leftOut.allSatisfy { $0.table == "files" })
      let room = try await site.call(nil, "GET", "/room/lounge").json
      #expect(room["image_id"] == 1)
      #expect(try await site.call(nil, "GET", "/room/lounge/file/1").body == picture)
      // Numbers of files that are gone are not given again.
      let next: Int64? = try await site.server.store.read {
        try $0.value("SELECT seq FROM sqlite_sequence WHERE name = 'file'")
      }
      #expect(next == 6)
    }
  }

  @Test func numbersAreNotGivenAgainWhereTheOldServerDoesNotTellThem() async throws {
    let old = try PysogsFixture(
      PysogsFixture.schema.replacingOccurrences(of: " AUTOINCREMENT", with: ""))
    let writer = try old.member()
    try old.addUser(1, writer.id)
    try old.addMessage(4, "one", by: writer, user: 1, sequence: 1)
    try await withImported(old) { (site, _) async throws in
      let next = try await site.server.store.read { transaction in
        try transaction.map(
          "SELECT name, seq FROM sqlite_sequence WHERE name IN ('file', 'inbox', 'message')"
        ) {
          (row) throws(StorageError) -> (String, Int64) in (try row[0], try row[1])
        }
      }
      #expect(
        Dictionary(uniqueKeysWithValues: next)
          == ["file": 1_000_000, "inbox": 1_000_000, "message": 1_000_004])
    }
  }

  @Test func tablesWithViewsInNewerSQLAreRead() async throws {
    let old = try PysogsFixture()
    try old.run(
      """
      PRAGMA writable_schema = ON;
      INSERT INTO sqlite_master VALUES ('view', 'first_reactors', 'first_reactors', 0,
        'CREATE VIEW first_reactors AS SELECT rank() OVER (PARTITION BY reaction ORDER BY at) FROM user_reactions');
      """)
    try await withImported(old) { (site, report) async throws in
      #expect(counts(report, "rooms") == [1, 1])
    }
  }

  @Test func olderTablesWithoutSomeColumnsAreRead() async throws {
    let old = try PysogsFixture(
      """
      CREATE TABLE rooms (id INTEGER PRIMARY KEY, token TEXT, name TEXT, description TEXT, image INTEGER, created FLOAT,
        message_sequence INTEGER, info_updates INTEGER, active_users INTEGER, "read" BOOLEAN, "write" BOOLEAN,
        upload BOOLEAN);
      CREATE TABLE users (id INTEGER PRIMARY KEY, session_id TEXT, created FLOAT, last_active FLOAT, banned BOOLEAN,
        moderator BOOLEAN, admin BOOLEAN, visible_mod BOOLEAN);
      CREATE TABLE messages (id INTEGER PRIMARY KEY, room INTEGER, "user" INTEGER, posted FLOAT, edited FLOAT,
        data BLOB, data_size INTEGER, signature BLOB, filtered BOOLEAN, whisper INTEGER, whisper_mods BOOLEAN,
        seqno INTEGER);
      CREATE TABLE files (id INTEGER PRIMARY KEY, room INTEGER, uploader INTEGER, size INTEGER, uploaded FLOAT,
        expiry FLOAT, filename TEXT, path TEXT);
      INSERT INTO rooms VALUES (1, 'lounge', 'The Lounge', NULL, NULL, 1, 1, 0, 0, 1, 1, 1);
      INSERT INTO users VALUES (1, 'deleted', 1, 1, 0, 0, 0, 0);
      INSERT INTO messages VALUES (1, 1, 1, 1, NULL, x'01', 1, zeroblob(64), 0, NULL, 0, 1);
      """)
    try await withImported(old) { (site, report) async throws in
      #expect(report.leftOut == [])
      #expect(try await site.call(nil, "GET", "/room/lounge/messages/recent").json.elements.count == 1)
    }
  }

  @Test func aDatabaseWithALogIsReadWithIt() async throws {
    let old = try PysogsFixture()
    // A server that was killed leaves a log.
    let copy = try PysogsFixture("")
    var database: OpaquePointer?
    try #require(sqlite3_open(old.database, &database) == SQLITE_OK)
    defer { sqlite3_close(database) }
    try #require(
      sqlite3_exec(
        database,
        """
        PRAGMA journal_mode = WAL;
        INSERT INTO rooms VALUES (2, 'later', 'In the log', '', NULL, 1, 0, 0, 0, 1, 1, 1, 1);
        """, nil, nil, nil) == SQLITE_OK)
    for ending in ["", "-wal"] {
      let data = try Data(contentsOf: URL(fileURLWithPath: old.database + ending))
      try data.write(to: URL(fileURLWithPath: copy.database + ending))
    }
    try await withImported(copy) { (site, report) async throws in
      #expect(counts(report, "rooms") == [2, 2])
    }
    #expect(FileManager.default.fileExists(atPath: copy.database + "-wal"))
  }

  @Test func theOldFolderStaysAsItIs() async throws {
    let old = try PysogsFixture()
    let writer = try old.member()
    try old.addUser(1, writer.id)
    try old.addFile(1, [1, 2], user: 1)
    func state() throws -> [String: Data] {
      let paths = try FileManager.default.subpathsOfDirectory(atPath: old.folder.path)
      var state: [String: Data] = [:]
      for path in paths {
        state[path] = (try? Data(contentsOf: URL(fileURLWithPath: "\(old.folder.path)/\(path)"))) ?? Data()
      }
      return state
    }
    let before = try state()
    let folder = try TemporaryFolder()
    _ = try await old.imported(to: folder.path + "/one")
    #expect(try state() == before)
    // What an import that was killed has left is not in the way, and a second one begins anew.
    let part = folder.path + "/two.importing"
    try FileManager.default.createDirectory(atPath: part + "/files", withIntermediateDirectories: true)
    try Data("part".utf8).write(to: URL(fileURLWithPath: part + "/community.db"))
    _ = try await old.imported(to: folder.path + "/two")
    #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path).sorted() == ["one", "two"])
    await #expect(throws: CommunityImportFailure.folderInUse(folder.path + "/one")) {
      try await old.imported(to: folder.path + "/one")
    }
  }

  // MARK: - Refusals

  private func expectRefusal(
    _ failure: CommunityImportFailure, _ old: PysogsFixture, from path: String? = nil,
    sourceLocation: SourceLocation = #_sourceLocation
  ) async throws {
    let folder = try TemporaryFolder()
    await #expect(throws: failure, sourceLocation: sourceLocation) {
      try await CommunityImport(from: path ?? old.folder.path, toFolder: folder.path + "/new").run()
    }
    #expect(
      try FileManager.default.contentsOfDirectory(atPath: folder.path) == [], sourceLocation: sourceLocation)
  }

  @Test func aServerThatRunsIsNotImported() async throws {
    let old = try PysogsFixture()
    let lock = try FileLock(old.database + "-shm", of: "a database", purpose: "the old server")
    try await expectRefusal(.isRunning(old.database), old)
    withExtendedLifetime(lock) {}
  }

  @Test func otherFilesThanAServerOfAKnownVersionAreNotImported() async throws {
    try await expectRefusal(
      .tooOld, try PysogsFixture("CREATE TABLE messages (id INTEGER PRIMARY KEY, text TEXT)"))
    try await expectRefusal(
      .tooOld, try PysogsFixture("CREATE TABLE rooms (id INTEGER); CREATE TABLE messages (id INTEGER)"))
    let old = try PysogsFixture()
    try await expectRefusal(.notFound(old.folder.path + "/none"), old, from: old.folder.path + "/none")
    try await expectRefusal(.placesNeeded, old, from: "postgresql://localhost/sogs")
    try old.write(bytes("[db]\nurl = mysql:///sogs\n"), to: "sogs.ini")
    try await expectRefusal(.otherDatabase, old)
  }

  @Test func aKeyThatIsNoneIsRefused() async throws {
    let old = try PysogsFixture()
    try old.write([1, 2, 3], to: "key_x25519")
    try await expectRefusal(.key(old.folder.path + "/key_x25519"), old)
    try FileManager.default.removeItem(atPath: old.folder.path + "/key_x25519")
    try await expectRefusal(.key(old.folder.path + "/key_x25519"), old)
  }

  @Test func aDamagedDatabaseIsRefused() async throws {
    let old = try PysogsFixture()
    let writer = try old.member()
    try old.addUser(1, writer.id)
    for number in 1...200 {
      try old.addMessage(
        number, String(repeating: "text ", count: 100), by: writer, user: 1, sequence: number)
    }
    let whole = try Data(contentsOf: URL(fileURLWithPath: old.database))
    let folder = try TemporaryFolder()
    for content in [Data(whole.prefix(whole.count / 2)), Data("no database, but a text of some length".utf8)]
    {
      try content.write(to: URL(fileURLWithPath: old.database))
      await #expect {
        try await old.imported(to: folder.path + "/new")
      } throws: {
        guard case CommunityImportFailure.damaged = $0 else { return false }
        return true
      }
    }
    #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path) == [])
  }

  // MARK: - Settings

  @Test func settingsAreTakenOverAndOthersListed() async throws {
    let old = try PysogsFixture()
    try old.write(
      bytes(
        """
        # A comment
        [db]
        url = sqlite:///sogs.db
        [crypto]
        key_file = key_x25519
        [net]
        base_url = https://chat.example/
        http_show_index = no
        omq_listen = tcp://*:22028
        [files]
        expiry = 10.5
        uploads_dir = uploads
        [messages]
        profanity_silent = yes
        alphabet_filters = arabic cyrillic
        [users]
        require_blind_keys = no
        [room:lounge]
        profanity_filter = yes
        junk
        """), to: "sogs.ini")
    try await withImported(old) { (_, report) async throws in
      #expect(
        report.settings == [
          #"url = "https://chat.example""#, "web_index = false", "file_days = 11",
          #"filter_words_outcome = "silent""#, #"filter_alphabets = ["arabic", "cyrillic"]"#,
          #"blinding = "none""#,
        ])
      #expect(
        report.unknownSettings == ["net.omq_listen", "room:lounge.profanity_filter", "room:lounge.junk"])
    }
  }

  @Test func theFileOfWordsComesAlong() async throws {
    let old = try PysogsFixture()
    try old.write(bytes("[messages]\nprofanity_custom = words/bad.txt\n"), to: "sogs.ini")
    try FileManager.default.createDirectory(
      atPath: old.folder.path + "/words", withIntermediateDirectories: true)
    try old.write(bytes("turnip\n"), to: "words/bad.txt")
    let folder = try TemporaryFolder()
    let report = try await old.imported(to: folder.path + "/chat")
    #expect(report.settings == [#"filter_words = "filter-words.txt""#])
    #expect(report.unknownSettings.isEmpty)
    let words = try Data(contentsOf: URL(fileURLWithPath: folder.path + "/chat/filter-words.txt"))
    #expect(words == Data("turnip\n".utf8))
  }

  @Test func aMissingFileOfWordsIsToldOf() async throws {
    let old = try PysogsFixture()
    try old.write(bytes("[messages]\nprofanity_custom = bad.txt\n"), to: "sogs.ini")
    let folder = try TemporaryFolder()
    let report = try await old.imported(to: folder.path + "/chat")
    #expect(report.settings.isEmpty)
    #expect(report.unknownSettings == ["messages.profanity_custom"])
  }

  @Test(.enabled(if: geteuid() == 0)) func filesOfOtherUsersAreCopied() async throws {
    let old = try PysogsFixture()
    let author = try old.member()
    try old.addUser(1, author.id)
    try old.addMessage(1, "hello", by: author, user: 1, sequence: 1)
    try old.addFile(1, bytes("ours"), user: 1, message: "1")
    try old.addFile(2, bytes("theirs"), user: 1, message: "1")
    try #require(chown(old.folder.path + "/uploads/lounge/2_file", 65_534, 65_534) == 0)
    let folder = try TemporaryFolder()
    _ = try await old.imported(to: folder.path + "/chat")
    var links: [String: (count: UInt, owner: uid_t)] = [:]
    for name in folder.files(in: "chat/files") {
      let path = folder.path + "/chat/files/\(name.prefix(2))/\(name)"
      var status = stat()
      try #require(stat(path, &status) == 0)
      let content = String(decoding: try Data(contentsOf: URL(fileURLWithPath: path)), as: UTF8.self)
      links[content] = (UInt(status.st_nlink), status.st_uid)
    }
    #expect(links["ours"]?.count == 2)
    #expect(links["theirs"]?.count == 1)
    #expect(links["theirs"]?.owner == 0)
  }
}
