import Foundation
import SessionCore
import Spawning
import Testing

@testable import SessionServers

/// Databases as the old server's own statements leave them: with its triggers, which count the changes, and with views that
/// the SQLite of this server cannot read. A newer SQLite, that of Python, makes them.
extension PysogsFixture {
  /// Why there is no newer SQLite; nil if there is one.
  static let absence: String? = {
    let check = "import sqlite3, sys; sys.exit(0 if sqlite3.sqlite_version_info >= (3, 25) else 1)"
    let status = try? python(["-c", check], input: "")
    return status == 0 ? nil : "python3 has no SQLite of 3.25 or later"
  }()

  /// Runs statements on the database with a newer SQLite.
  func runNewer(_ statements: String) throws {
    let script = "import sqlite3, sys; sqlite3.connect(sys.argv[1]).executescript(sys.stdin.read())"
    try #require(try Self.python(["-c", script, database], input: statements) == 0)
  }

  private static func python(_ arguments: [String], input: String) throws -> Int32 {
    let process = Process()
    process.executableURL = URL(filePath: "/usr/bin/python3")
    process.arguments = arguments
    let folder = try TemporaryFolder()
    try folder.write(input, to: "input")
    process.standardInput = try FileHandle(forReadingFrom: URL(filePath: folder.path + "/input"))
    try process.start()
    process.waitUntilExit()
    return process.terminationStatus
  }

  /// The statement that adds a user.
  static func user(_ number: Int, _ member: Member) -> String {
    "INSERT INTO users (id, session_id) VALUES (\(number), '\(member.id)');"
  }

  /// The statement that adds a message with a right signature; the triggers give it its numbers.
  static func message(
    _ text: String, by member: Member, user: Int, room: Int = 1, others: [(String, String)] = []
  ) throws -> String {
    let padded = Array(text.utf8) + [0x80] + [UInt8](repeating: 0, count: 9)
    let signature = try member.identity.sign(post: padded)
    let columns =
      [
        ("room", "\(room)"), ("\"user\"", "\(user)"), ("data", "x'\(Array(text.utf8).hex)'"),
        ("data_size", "\(padded.count)"), ("signature", "x'\(signature.hex)'"),
      ] + others
    return "INSERT INTO messages (\(columns.map(\.0).joined(separator: ", "))) "
      + "VALUES (\(columns.map(\.1).joined(separator: ", ")));"
  }

  private static let now = "((julianday('now') - 2440587.5) * 86400.0)"

  /// What all versions since 0.2 have alike.
  private static let common = """
    CREATE TABLE users (
      id INTEGER NOT NULL PRIMARY KEY, session_id TEXT NOT NULL UNIQUE, created FLOAT NOT NULL DEFAULT \(now),
      last_active FLOAT NOT NULL DEFAULT \(now), banned BOOLEAN NOT NULL DEFAULT FALSE,
      moderator BOOLEAN NOT NULL DEFAULT FALSE, admin BOOLEAN NOT NULL DEFAULT FALSE,
      visible_mod BOOLEAN NOT NULL DEFAULT FALSE, CHECK (NOT (banned AND (moderator OR admin))));
    CREATE TABLE message_history (
      message INTEGER NOT NULL REFERENCES messages (id) ON DELETE CASCADE, replaced FLOAT NOT NULL DEFAULT \(now),
      data TEXT NOT NULL, signature BLOB NOT NULL);
    CREATE TABLE room_users (
      room INTEGER NOT NULL REFERENCES rooms (id) ON DELETE CASCADE, "user" INTEGER NOT NULL REFERENCES users (id),
      last_active FLOAT NOT NULL DEFAULT \(now), PRIMARY KEY (room, "user")) WITHOUT ROWID;
    CREATE TABLE user_ban_futures (
      room INTEGER REFERENCES rooms ON DELETE CASCADE, "user" INTEGER NOT NULL REFERENCES users ON DELETE CASCADE,
      at FLOAT NOT NULL, banned BOOLEAN NOT NULL);
    CREATE TABLE user_permission_futures (
      room INTEGER NOT NULL REFERENCES rooms ON DELETE CASCADE, "user" INTEGER NOT NULL REFERENCES users,
      at FLOAT NOT NULL, read BOOLEAN, write BOOLEAN, upload BOOLEAN);
    CREATE TABLE user_request_nonces (
      "user" INTEGER NOT NULL REFERENCES users (id) ON DELETE CASCADE, nonce BLOB NOT NULL UNIQUE,
      expiry FLOAT NOT NULL DEFAULT ((julianday('now') - 2440587.5 + 1.0) * 86400.0));
    CREATE TRIGGER keep_former_text AFTER UPDATE OF data ON messages
      FOR EACH ROW WHEN NEW.data IS NOT OLD.data BEGIN
        INSERT INTO message_history (message, data, signature) VALUES (NEW.id, OLD.data, OLD.signature);
      END;
    """

  /// Version 0.2, which had one number for each message, under another name, no reactions, no whispers, and no rooms that are
  /// only visible.
  static let first =
    """
    CREATE TABLE rooms (
      id INTEGER NOT NULL PRIMARY KEY, token TEXT NOT NULL UNIQUE COLLATE NOCASE, name TEXT NOT NULL, description TEXT,
      image INTEGER REFERENCES files (id), created FLOAT NOT NULL DEFAULT \(now),
      updates INTEGER NOT NULL DEFAULT 0, info_updates INTEGER NOT NULL DEFAULT 0,
      active_users INTEGER NOT NULL DEFAULT 0, read BOOLEAN NOT NULL DEFAULT TRUE,
      write BOOLEAN NOT NULL DEFAULT TRUE, upload BOOLEAN NOT NULL DEFAULT TRUE);
    CREATE TABLE messages (
      id INTEGER NOT NULL PRIMARY KEY, room INTEGER NOT NULL REFERENCES rooms (id) ON DELETE CASCADE,
      "user" INTEGER NOT NULL REFERENCES users (id), posted FLOAT NOT NULL DEFAULT \(now), edited FLOAT,
      updated INTEGER NOT NULL DEFAULT 0, data BLOB, data_size INTEGER, signature BLOB);
    CREATE TABLE pinned_messages (room INTEGER NOT NULL, message INTEGER NOT NULL, updated INTEGER NOT NULL);
    CREATE TABLE files (
      id INTEGER NOT NULL PRIMARY KEY, room INTEGER REFERENCES rooms (id) ON DELETE SET NULL, uploader INTEGER,
      size INTEGER NOT NULL, uploaded FLOAT NOT NULL DEFAULT \(now), expiry FLOAT, filename TEXT, path TEXT NOT NULL);
    CREATE TABLE user_permission_overrides (
      room INTEGER NOT NULL REFERENCES rooms (id) ON DELETE CASCADE, "user" INTEGER NOT NULL REFERENCES users (id),
      banned BOOLEAN NOT NULL DEFAULT FALSE, read BOOLEAN, write BOOLEAN, upload BOOLEAN,
      moderator BOOLEAN NOT NULL DEFAULT FALSE, admin BOOLEAN NOT NULL DEFAULT FALSE,
      visible_mod BOOLEAN NOT NULL DEFAULT TRUE, PRIMARY KEY (room, "user")) WITHOUT ROWID;
    CREATE TRIGGER count_new_message AFTER INSERT ON messages FOR EACH ROW BEGIN
      UPDATE rooms SET updates = updates + 1 WHERE id = NEW.room;
      UPDATE messages SET updated = (SELECT updates FROM rooms WHERE id = NEW.room) WHERE id = NEW.id;
    END;
    CREATE TRIGGER count_edit AFTER UPDATE OF data ON messages FOR EACH ROW WHEN NEW.data IS NOT OLD.data BEGIN
      UPDATE rooms SET updates = updates + 1 WHERE id = NEW.room;
      UPDATE messages SET edited = \(now), updated = (SELECT updates FROM rooms WHERE id = NEW.room)
        WHERE id = NEW.id;
    END;
    """ + common + "INSERT INTO rooms (token, name) VALUES ('lounge', 'The Lounge');"

  /// Version 0.3.7.
  static let released = newer("")
  /// The branch with ids of the second kind, which keeps the id that signed where it is another one.
  static let branch = newer("alt_id TEXT,")

  private static func newer(_ alternative: String) -> String {
    """
    PRAGMA journal_mode = WAL;
    CREATE TABLE rooms (
      id INTEGER NOT NULL PRIMARY KEY, token TEXT NOT NULL UNIQUE COLLATE NOCASE, name TEXT NOT NULL, description TEXT,
      image INTEGER REFERENCES files (id) ON DELETE SET NULL, created FLOAT NOT NULL DEFAULT \(now),
      message_sequence INTEGER NOT NULL DEFAULT 0, info_updates INTEGER NOT NULL DEFAULT 0,
      active_users INTEGER NOT NULL DEFAULT 0, read BOOLEAN NOT NULL DEFAULT TRUE,
      accessible BOOLEAN NOT NULL DEFAULT TRUE, write BOOLEAN NOT NULL DEFAULT TRUE,
      upload BOOLEAN NOT NULL DEFAULT TRUE, CHECK (token NOT GLOB '*[^a-zA-Z0-9_-]*'));
    CREATE TABLE messages (
      id INTEGER NOT NULL PRIMARY KEY, room INTEGER NOT NULL REFERENCES rooms (id) ON DELETE CASCADE,
      "user" INTEGER NOT NULL REFERENCES users (id), posted FLOAT NOT NULL DEFAULT \(now), edited FLOAT,
      seqno INTEGER NOT NULL DEFAULT 0, seqno_data INTEGER NOT NULL DEFAULT 0,
      seqno_reactions INTEGER NOT NULL DEFAULT 0, seqno_creation INTEGER NOT NULL DEFAULT 0, data BLOB,
      data_size INTEGER, signature BLOB, \(alternative) filtered BOOLEAN NOT NULL DEFAULT FALSE,
      whisper INTEGER REFERENCES users (id), whisper_mods BOOLEAN NOT NULL DEFAULT FALSE);
    CREATE TABLE files (
      id INTEGER NOT NULL PRIMARY KEY, room INTEGER REFERENCES rooms (id) ON DELETE SET NULL,
      uploader INTEGER REFERENCES users (id), message INTEGER REFERENCES messages (id) ON DELETE SET NULL,
      size INTEGER NOT NULL, uploaded FLOAT NOT NULL DEFAULT \(now),
      expiry FLOAT DEFAULT ((julianday('now') - 2440587.5 + 15.0) * 86400.0), filename TEXT, path TEXT NOT NULL);
    CREATE TABLE pinned_messages (
      room INTEGER NOT NULL REFERENCES rooms (id) ON DELETE CASCADE,
      message INTEGER NOT NULL REFERENCES messages (id) ON DELETE CASCADE,
      pinned_by INTEGER NOT NULL REFERENCES users (id), pinned_at FLOAT NOT NULL DEFAULT \(now),
      PRIMARY KEY (room, message));
    CREATE TABLE reactions (
      id INTEGER NOT NULL PRIMARY KEY, message INTEGER NOT NULL REFERENCES messages ON DELETE CASCADE,
      reaction TEXT NOT NULL);
    CREATE UNIQUE INDEX reactions_message ON reactions (message, reaction);
    CREATE TABLE user_reactions (
      reaction INTEGER NOT NULL REFERENCES reactions, "user" INTEGER NOT NULL REFERENCES users ON DELETE CASCADE,
      at FLOAT NOT NULL DEFAULT \(now), PRIMARY KEY (reaction, "user"));
    CREATE TABLE user_permission_overrides (
      room INTEGER NOT NULL REFERENCES rooms (id) ON DELETE CASCADE, "user" INTEGER NOT NULL REFERENCES users (id),
      banned BOOLEAN NOT NULL DEFAULT FALSE, read BOOLEAN, accessible BOOLEAN, write BOOLEAN, upload BOOLEAN,
      moderator BOOLEAN NOT NULL DEFAULT FALSE, admin BOOLEAN NOT NULL DEFAULT FALSE,
      visible_mod BOOLEAN NOT NULL DEFAULT TRUE, PRIMARY KEY (room, "user"),
      CHECK (NOT (banned AND (moderator OR admin)))) WITHOUT ROWID;
    CREATE INDEX overrides_of_moderators ON user_permission_overrides (room) WHERE moderator;
    CREATE TABLE inbox (
      id INTEGER PRIMARY KEY, recipient INTEGER NOT NULL REFERENCES users (id) ON DELETE CASCADE,
      sender INTEGER NOT NULL REFERENCES users (id) ON DELETE CASCADE, body BLOB NOT NULL, \(alternative)
      posted_at FLOAT DEFAULT \(now), expiry FLOAT DEFAULT ((julianday('now') - 2440587.5 + 15.0) * 86400.0));
    CREATE TRIGGER count_new_message AFTER INSERT ON messages FOR EACH ROW BEGIN
      UPDATE rooms SET message_sequence = message_sequence + 1 WHERE id = NEW.room;
      UPDATE messages SET seqno_data = (SELECT message_sequence FROM rooms WHERE id = NEW.room) WHERE id = NEW.id;
      UPDATE messages SET seqno_creation = seqno_data WHERE id = NEW.id;
    END;
    CREATE TRIGGER count_edit AFTER UPDATE OF data ON messages FOR EACH ROW WHEN NEW.data IS NOT OLD.data BEGIN
      UPDATE rooms SET message_sequence = message_sequence + 1 WHERE id = NEW.room;
      UPDATE messages SET edited = \(now), seqno_data = (SELECT message_sequence FROM rooms WHERE id = NEW.room)
        WHERE id = NEW.id;
    END;
    CREATE TRIGGER largest_number AFTER UPDATE OF seqno_data, seqno_reactions ON messages FOR EACH ROW BEGIN
      UPDATE messages SET seqno = max(seqno_data, seqno_reactions) WHERE id = NEW.id;
    END;
    CREATE VIEW message_reactions AS
      SELECT r.*, u.user, u.at FROM reactions r JOIN user_reactions u ON u.reaction = r.id;
    CREATE TRIGGER add_reaction INSTEAD OF INSERT ON message_reactions FOR EACH ROW BEGIN
      INSERT INTO reactions (message, reaction) VALUES (NEW.message, NEW.reaction)
        ON CONFLICT (message, reaction) DO NOTHING;
      INSERT INTO user_reactions (reaction, "user")
        VALUES ((SELECT id FROM reactions WHERE message = NEW.message AND reaction = NEW.reaction), NEW.user);
    END;
    CREATE TRIGGER count_reaction AFTER INSERT ON user_reactions FOR EACH ROW BEGIN
      UPDATE rooms SET message_sequence = message_sequence + 1 WHERE id = (
        SELECT m.room FROM messages m JOIN reactions r ON r.message = m.id WHERE r.id = NEW.reaction);
      UPDATE messages SET seqno_reactions = (SELECT message_sequence FROM rooms WHERE rooms.id = messages.room)
        WHERE id = (SELECT message FROM reactions WHERE id = NEW.reaction);
    END;
    CREATE VIEW first_reactors AS
      SELECT *, rank() OVER (PARTITION BY reaction ORDER BY at) AS _order FROM user_reactions;
    """ + common + "INSERT INTO rooms (token, name) VALUES ('lounge', 'The Lounge');"
  }
}
