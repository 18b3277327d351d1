import SessionBase
import SessionCore
import TestPostgreSQL
import Testing

@testable import SessionServers
@testable import SessionStorage

/// Servers of pysogs that keep their rows in PostgreSQL.
@Suite(.onPostgreSQL, .timeLimit(.minutes(10))) struct PostgreSQLImportTests {
  private func withDatabase(_ body: (PostgreSQLInstance, String) async throws -> Void) async throws {
    let instance = try PostgreSQLInstance.shared.get()
    let name = try instance.takeDatabase()
    try await body(instance, name)
    try instance.giveBack(name)
  }

  /// A server with rows in all tables, more than are fetched at a time.
  private func full() throws -> PysogsFixture {
    let old = try PysogsFixture()
    let (writer, admin) = (try old.member(), try old.member(.blinded25))
    try old.addUser(1, writer.id)
    try old.addUser(2, admin.id, "0, 1, 1, 1")
    try old.addUser(3, "deleted")
    for number in 11..<20 { try old.addMessage(number, "text", by: writer, user: 1, sequence: number - 10) }
    try old.addFile(5, [1, 2, 3], user: 1, message: "11", expiry: "9e6")
    let tombstones = (100..<1300).map { number in
      "(\(number), 1, 1, 1100.0, 1200.0, NULL, NULL, NULL, 0, NULL, 0, \(number), \(number), 0, \(number))"
    }
    try old.run(
      """
      INSERT INTO messages VALUES \(tombstones.joined(separator: ", "));
      INSERT INTO message_history VALUES (11, x'01', x'02', 1900.0);
      INSERT INTO reactions VALUES (3, 12, '👍'), (4, 12, '🎉');
      INSERT INTO user_reactions VALUES (3, 1, 1300.0), (4, 2, 1400.5);
      INSERT INTO pinned_messages VALUES (1, 11, 2, 1500.0);
      INSERT INTO room_users VALUES (1, 1, 1999.0);
      INSERT INTO user_permission_overrides VALUES (1, 1, 0, NULL, 1, 0, NULL, 0, 0, 0);
      INSERT INTO user_permission_futures VALUES (1, 1, 3000.0, NULL, 1, NULL);
      INSERT INTO user_ban_futures VALUES (NULL, 1, 3000.0, 1);
      INSERT INTO user_request_nonces VALUES (1, x'\(String(repeating: "07", count: 16))', 2500.0);
      INSERT INTO inbox VALUES (8, 1, 2, x'00\(String(repeating: "11", count: 60))', 1600.0, 9e6);
      INSERT INTO file_id_hacks VALUES (1, 77, 5);
      UPDATE sqlite_sequence SET seq = 5000 WHERE name = 'messages';
      """)
    return old
  }

  private static let tables: [SQL] = [
    "SELECT hex(key), shown, named, created, active, posts, banned, role, visible FROM person ORDER BY id",
    "SELECT token, name, created, sequence, info, active, lastPosted, defaults FROM room",
    """
    SELECT id, author, signer, posted, edited, deleted, createdSeq, dataSeq, hex(data), size, hex(signature)
    FROM message ORDER BY id
    """,
    "SELECT message, at, hex(data) FROM history",
    "SELECT message, emoji, place, person, at FROM reaction ORDER BY place",
    "SELECT message, actor, at FROM pin",
    "SELECT id, uploader, message, size, uploaded, expires, name FROM file",
    "SELECT room, person, first, last FROM visit",
    "SELECT person, canRead, canAccess, canWrite, canUpload, banned FROM override",
    "SELECT room, person, at, canRead, canWrite, canUpload, banned FROM future ORDER BY at, room",
    "SELECT hex(nonce), until FROM nonce",
    "SELECT id, recipientAs, senderAs, hex(body), posted, expires FROM inbox",
    "SELECT room, old, file FROM file_alias",
    "SELECT name, seq FROM sqlite_sequence ORDER BY name",
  ]

  /// All rows of an imported server, but for the random names of its files.
  private func rows(of folder: String) async throws -> [[EngineValue]] {
    let place = CommunityFolder(path: folder)
    let options = CommunityServer.Options(folder: folder, addresses: [try loopback()])
    let store = try place.store(try place.keys(), options)
    defer { try? store.close() }
    return try await store.read { transaction in
      try Self.tables.flatMap { table in
        try transaction.statements.with(table) { (statement) throws(StorageError) in
          var rows: [[EngineValue]] = []
          while try statement.step() { rows.append((0..<statement.columnCount).map { statement.value($0) }) }
          return rows
        }
      }
    }
  }

  @Test func rowsComeAsFromAFile() async throws {
    try await withDatabase { instance, name in
      let (old, target) = (try full(), try TemporaryFolder())
      try old.copy(to: name, of: instance)
      let fromFile = try await old.imported(to: target.path + "/file")
      let address = try instance.address(of: name).text
      let fromServer = try await CommunityImport(
        from: address, key: old.folder.path + "/key_x25519", uploads: old.folder.path + "/uploads",
        toFolder: target.path + "/server"
      ) { 2_000_000 }.run()
      #expect(fromServer == fromFile)
      #expect(fromServer.leftOut.isEmpty)
      let ours = try await rows(of: target.path + "/server")
      #expect(try await rows(of: target.path + "/file") == ours)
      #expect(ours.contains([.text("message"), .integer(5000)]))
      #expect(ours.count > 1200)
    }
  }

  @Test func aServerThatRunsIsRefused() async throws {
    try await withDatabase { instance, name in
      let (old, target) = (try PysogsFixture(), try TemporaryFolder())
      try old.copy(to: name, of: instance)
      let address = try instance.address(of: name)
      try old.write(bytes("[db]\nurl = \(address)\n"), to: "sogs.ini")
      let running = try ForeignDatabase(address)
      await #expect(throws: CommunityImportFailure.isRunning("\(address)")) {
        _ = try await old.imported(to: target.path + "/new")
      }
      withExtendedLifetime(running) {}
    }
  }

  @Test func aPasswordInTheSettingsIsNotUsed() async throws {
    let (old, target) = (try PysogsFixture(), try TemporaryFolder())
    try old.write(bytes("[db]\nurl = postgresql+psycopg2://sogs:secret@localhost/sogs\n"), to: "sogs.ini")
    let failure = CommunityImportFailure.address(old.folder.path + "/sogs.ini")
    await #expect(throws: failure) { _ = try await old.imported(to: target.path + "/new") }
    #expect(!"\(failure)".contains("secret"))
  }

  @Test func aDatabaseWithoutItsTablesIsRefused() async throws {
    try await withDatabase { instance, name in
      let (old, target) = (try PysogsFixture(), try TemporaryFolder())
      try old.write(bytes("[db]\nurl = \(try instance.address(of: name))\n"), to: "sogs.ini")
      await #expect(throws: CommunityImportFailure.tooOld) {
        _ = try await old.imported(to: target.path + "/new")
      }
    }
  }
}
