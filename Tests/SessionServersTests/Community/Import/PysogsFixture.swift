import CSQLCipher
import Foundation
import SessionCore
import Testing

@testable import SessionServers

/// The folder of a pysogs server, with its key, its tables and the content of its files.
struct PysogsFixture {
  let folder: TemporaryFolder
  /// The public key of the server.
  let key: [UInt8]

  var database: String { folder.path + "/sogs.db" }

  init(_ schema: String = Self.schema) throws {
    folder = try TemporaryFolder()
    let secret = try SecretBytes.random(count: 32)
    try Data(secret.reveal()).write(to: URL(fileURLWithPath: folder.path + "/key_x25519"))
    key = try CommunityServer.key(of: folder.path)
    try FileManager.default.createDirectory(
      atPath: folder.path + "/uploads/lounge", withIntermediateDirectories: true)
    try run(schema)
  }

  func member(_ scheme: CommunityIdentity.Scheme = .blinded15, of account: Account? = nil) throws -> Member {
    try Member(try account ?? Account.generate(), on: key, scheme)
  }

  /// Runs statements on the database.
  func run(_ statements: String) throws {
    var database: OpaquePointer?
    try #require(sqlite3_open(self.database, &database) == SQLITE_OK)
    defer { sqlite3_close(database) }
    let status = sqlite3_exec(database, statements, nil, nil, nil)
    try #require(status == SQLITE_OK, "\(String(cString: sqlite3_errmsg(database)))")
  }

  func write(_ content: [UInt8], to path: String) throws {
    try Data(content).write(to: URL(fileURLWithPath: folder.path + "/" + path))
  }

  /// A user; the times are seconds.
  func addUser(_ number: Int, _ id: String, _ others: String = "0, 0, 0, 0", active: Double = 1000) throws {
    try run("INSERT INTO users VALUES (\(number), '\(id)', 900.5, \(active), \(others))")
  }

  /// A message with a right signature.
  func addMessage(
    _ number: Int, _ text: String, by member: Member, user: Int, room: Int = 1, sequence: Int,
    others: String = "0, NULL, 0"
  ) throws {
    let size = text.utf8.count + 10
    let padded = Array(text.utf8) + [0x80] + [UInt8](repeating: 0, count: size - text.utf8.count - 1)
    let signature = try member.identity.sign(post: padded)
    try run(
      """
      INSERT INTO messages VALUES (\(number), \(room), \(user), \(1000 + number).25, NULL, x'\(Array(text.utf8).hex)',
        \(size), x'\(signature.hex)', \(others), \(sequence), \(sequence), 0, \(sequence))
      """)
  }

  func addFile(
    _ number: Int, _ content: [UInt8], user: Int, message: String = "NULL", expiry: String = "NULL",
    path: String? = nil
  ) throws {
    let path = path ?? "uploads/lounge/\(number)_file"
    if !path.contains("..") { try write(content, to: path) }
    try run(
      """
      INSERT INTO files VALUES (\(number), 1, \(user), \(message), \(content.count), 1000.0, \(expiry), 'a.txt', '\(path)')
      """)
  }

  func imported(to folder: String, now: UInt64 = 2_000_000) async throws -> CommunityImportReport {
    try await CommunityImport(from: self.folder.path, toFolder: folder) { now }.run()
  }

  /// The tables of pysogs 0.3.
  static let schema = """
    CREATE TABLE rooms (id INTEGER PRIMARY KEY AUTOINCREMENT, token TEXT, name TEXT, description TEXT, image INTEGER,
      created FLOAT, message_sequence INTEGER, info_updates INTEGER, active_users INTEGER, "read" BOOLEAN,
      accessible BOOLEAN, "write" BOOLEAN, upload BOOLEAN);
    CREATE TABLE users (id INTEGER PRIMARY KEY AUTOINCREMENT, session_id TEXT, created FLOAT, last_active FLOAT,
      banned BOOLEAN, moderator BOOLEAN, admin BOOLEAN, visible_mod BOOLEAN);
    CREATE TABLE messages (id INTEGER PRIMARY KEY AUTOINCREMENT, room INTEGER, "user" INTEGER, posted FLOAT,
      edited FLOAT, data BLOB, data_size INTEGER, signature BLOB, filtered BOOLEAN, whisper INTEGER,
      whisper_mods BOOLEAN, seqno INTEGER, seqno_data INTEGER, seqno_reactions INTEGER, seqno_creation INTEGER);
    CREATE TABLE message_history (message INTEGER, data BLOB, signature BLOB, replaced FLOAT);
    CREATE TABLE reactions (id INTEGER PRIMARY KEY AUTOINCREMENT, message INTEGER, reaction TEXT);
    CREATE TABLE user_reactions (reaction INTEGER, "user" INTEGER, at FLOAT);
    CREATE TABLE pinned_messages (room INTEGER, message INTEGER, pinned_by INTEGER, pinned_at FLOAT);
    CREATE TABLE files (id INTEGER PRIMARY KEY AUTOINCREMENT, room INTEGER, uploader INTEGER, message INTEGER,
      size INTEGER, uploaded FLOAT, expiry FLOAT, filename TEXT, path TEXT);
    CREATE TABLE room_users (room INTEGER, "user" INTEGER, last_active FLOAT);
    CREATE TABLE user_permission_overrides (room INTEGER, "user" INTEGER, banned BOOLEAN, "read" BOOLEAN,
      accessible BOOLEAN, "write" BOOLEAN, upload BOOLEAN, moderator BOOLEAN, admin BOOLEAN, visible_mod BOOLEAN);
    CREATE TABLE user_permission_futures (room INTEGER, "user" INTEGER, at FLOAT, "read" BOOLEAN, "write" BOOLEAN,
      upload BOOLEAN);
    CREATE TABLE user_ban_futures (room INTEGER, "user" INTEGER, at FLOAT, banned BOOLEAN);
    CREATE TABLE user_request_nonces ("user" INTEGER, nonce BLOB, expiry FLOAT);
    CREATE TABLE inbox (id INTEGER PRIMARY KEY AUTOINCREMENT, recipient INTEGER, sender INTEGER, body BLOB,
      posted_at FLOAT, expiry FLOAT);
    CREATE TABLE file_id_hacks (room INTEGER, old_file_id INTEGER, file INTEGER);
    INSERT INTO rooms VALUES (1, 'lounge', 'The Lounge', 'quiet', NULL, 800.5, 7, 3, 2, 1, 1, 1, 0);
    """
}
