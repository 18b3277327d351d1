import Foundation
import SessionBase
import SessionCore
import SessionStorage
import Testing

@testable import SessionServers

/// Databases of the versions of pysogs, which its own triggers have filled.
@Suite(.enabled("\(PysogsFixture.absence ?? "")") { PysogsFixture.absence == nil }) struct PysogsVersionTests
{
  private func withImported(
    _ old: PysogsFixture, _ body: (CommunitySite, CommunityImportReport) async throws -> Void
  ) async throws {
    let folder = try TemporaryFolder()
    let now = MachineClock.wallMilliseconds
    let report = try await old.imported(to: folder.path, now: now)
    try await withCommunity(in: folder, clock: TestClock(now: now)) { (site) async throws in
      try await body(site, report)
    }
  }

  /// A server with these tables and rows.
  private func fixture(_ schema: String, rows: (PysogsFixture) throws -> [String]) throws -> PysogsFixture {
    let old = try PysogsFixture("")
    try old.runNewer(([schema] + rows(old)).joined(separator: "\n"))
    return old
  }

  private func page(_ site: CommunitySite, since number: Int, _ member: Member? = nil) async throws
    -> [JSONValue]
  {
    try await site.call(member, "GET", "/room/lounge/messages/since/\(number)?t=r").json.elements
  }

  private static let letter = "x'00\(String(repeating: "11", count: 60))'"

  @Test func aServerOfVersion3ComesOverWithItsCursors() async throws {
    var people: [Member] = []
    let old = try fixture(PysogsFixture.released) { old in
      people = [try old.member(), try old.member(), try old.member()]
      try old.write([1, 2, 3], to: "uploads/lounge/1_(unnamed)")
      return people.enumerated().map { PysogsFixture.user($0 + 1, $1) }
        + (try ["one", "two", "three", "four"].map { try PysogsFixture.message($0, by: people[1], user: 2) })
        + [
          try PysogsFixture.message("psst", by: people[0], user: 1, others: [("whisper", "2")]),
          """
          UPDATE users SET moderator = 1, admin = 1, visible_mod = 1 WHERE id = 1;
          INSERT INTO message_reactions (message, reaction, "user") VALUES (1, '👍', 1);
          INSERT INTO message_reactions (message, reaction, "user") VALUES (1, '🎉', 3);
          INSERT INTO message_reactions (message, reaction, "user") VALUES (1, '👍', 3);
          UPDATE messages SET data = x'7475', data_size = 12 WHERE id = 2;
          UPDATE messages SET data = NULL, data_size = NULL, signature = NULL WHERE id = 3;
          INSERT INTO pinned_messages (room, message, pinned_by) VALUES (1, 4, 1);
          INSERT INTO files (room, uploader, message, size, path) VALUES (1, 2, 4, 3, 'uploads/lounge/1_(unnamed)');
          INSERT INTO files (room, uploader, size, expiry, path) VALUES (NULL, 2, 3, 9e9, 'uploads/gone/2_(unnamed)');
          INSERT INTO room_users (room, "user") VALUES (1, 2);
          INSERT INTO user_permission_overrides (room, "user", banned) VALUES (1, 3, TRUE);
          INSERT INTO user_ban_futures VALUES (1, 3, 9e9, FALSE);
          INSERT INTO user_permission_futures VALUES (1, 2, 9e9, NULL, FALSE, NULL);
          INSERT INTO user_request_nonces ("user", nonce) VALUES (2, zeroblob(16));
          INSERT INTO inbox (recipient, sender, body) VALUES (2, 1, \(Self.letter));
          """,
        ]
    }
    let (ann, ben, eve) = (people[0], people[1], people[2])
    try await withImported(old) { (site, report) async throws in
      #expect(report.leftOut.map(\.reason) == ["its room was deleted"])
      // The edit changed the text without a new signature.
      #expect(report.wrongSignatures == 1)
      // Five posts, three reactions, an edit and a deletion.
      #expect(try await site.call(nil, "GET", "/room/lounge").json["message_sequence"] == 10)
      let all = try await page(site, since: 0)
      #expect(all.compactMap { $0["id"]?.integer } == [1, 4, 2])
      #expect(all.compactMap { $0["seqno"]?.integer } == [1, 4, 9])
      #expect(all.first?["reactions"]?.names == ["👍", "🎉"])
      #expect(all.first?["reactions"]?["👍"]?["count"] == 2)
      // Readers who had read up to a number get what has changed since.
      #expect(try await page(site, since: 5).compactMap { $0["id"]?.integer } == [1, 2, 3])
      #expect(try await page(site, since: 9).map { $0["deleted"] } == [true])
      #expect(try await page(site, since: 4, ben).compactMap { Member.text($0) }.first == "psst")
      #expect(try await site.call(nil, "GET", "/room/lounge/file/1").body == [1, 2, 3])
      #expect(try await site.call(eve, "GET", "/room/lounge/messages/recent").status == 403)
      #expect(try await site.call(ben, "GET", "/inbox").json.elements.first?["sender"]?.string == ann.id)
      #expect(try await site.call(nil, "GET", "/room/lounge").json["admins"] == [.string(ann.id)])
      let history: [[UInt8]] = try await site.server.store.read {
        try $0.values("SELECT data FROM history ORDER BY message")
      }
      #expect(history == [bytes("two"), bytes("three")])
      // The tables do not say how many numbers were given.
      site.clock.advance(.seconds(20))
      let message = try await site.post("five", as: ben, in: "lounge")
      #expect(message["seqno"] == 11)
      #expect(message["id"]?.integer ?? 0 > 1_000_000)
    }
  }

  @Test func aServerThatWasUpgradedKeepsItsOlderMessages() async throws {
    var ben: Member?
    let old = try fixture(PysogsFixture.released) { old in
      let member = try old.member()
      ben = member
      return [PysogsFixture.user(1, member)]
        + (try ["one", "two", "three", "four"].map { try PysogsFixture.message($0, by: member, user: 1) })
        + [
          // The upgrade added the column with zeros; those from before version 0.2 had no numbers at all.
          """
          UPDATE messages SET data = NULL, data_size = NULL, signature = NULL WHERE id = 3;
          UPDATE messages SET seqno_creation = 0;
          UPDATE messages SET seqno_data = 0, seqno = 0 WHERE id = 1;
          """
        ]
    }
    let member = try #require(ben)
    try await withImported(old) { (site, report) async throws in
      #expect(report.leftOut == [])
      #expect(report.wrongSignatures == 0)
      let recent = try await site.texts(nil, "/room/lounge/messages/recent")
      #expect(recent == ["four", "two", "one"])
      #expect(try await page(site, since: 0).compactMap { Member.text($0) } == ["two", "four"])
      // Readers who may have seen a text hear that it was deleted, and of later deletions as well.
      #expect(try await page(site, since: 3).compactMap { $0["id"]?.integer } == [4, 3])
      #expect(try await site.call(member, "DELETE", "/room/lounge/message/2").status == 200)
      #expect(try await page(site, since: 5).compactMap { $0["id"]?.integer } == [2])
      #expect(try await site.call(member, "DELETE", "/room/lounge/message/1").status == 200)
      #expect(try await page(site, since: 6).compactMap { $0["id"]?.integer } == [1])
    }
  }

  @Test func aServerOfVersion2ComesOver() async throws {
    var ben: Member?
    let old = try fixture(PysogsFixture.first) { old in
      let member = try old.member()
      ben = member
      for number in 1...2 { try old.write([1, 2, 3], to: "uploads/lounge/\(number)_(unnamed)") }
      return [PysogsFixture.user(1, member)]
        + (try ["one", "two"].map { try PysogsFixture.message($0, by: member, user: 1) })
        + [
          """
          UPDATE messages SET data = NULL, data_size = NULL, signature = NULL WHERE id = 1;
          INSERT INTO rooms (token, name, read, write) VALUES ('closed', 'Members', FALSE, FALSE);
          INSERT INTO files (room, uploader, size, path) VALUES (1, 1, 3, 'uploads/lounge/1_(unnamed)');
          INSERT INTO files (room, uploader, size, expiry, path)
            VALUES (1, 1, 3, (julianday('now') - 2440587.5 + 15.0) * 86400.0, 'uploads/lounge/2_(unnamed)');
          UPDATE rooms SET image = 1 WHERE id = 1;
          INSERT INTO user_permission_overrides (room, "user", read) VALUES (2, 1, TRUE);
          """
        ]
    }
    let member = try #require(ben)
    try await withImported(old) { (site, report) async throws in
      #expect(report.leftOut == [])
      #expect(report.wrongSignatures == 0)
      #expect(try await site.call(nil, "GET", "/room/lounge").json["message_sequence"] == 3)
      #expect(try await page(site, since: 0).compactMap { Member.text($0) } == ["two"])
      #expect(try await page(site, since: 2).map { $0["deleted"] } == [true])
      // A room that could not be read could not be seen either.
      #expect(try await site.call(nil, "GET", "/room/closed").status == 404)
      #expect(try await site.call(member, "GET", "/room/closed/messages/recent").status == 200)
      #expect(try await site.call(nil, "GET", "/room/lounge").json["image_id"] == 1)
      // Files had no messages, and were for all readers.
      #expect(try await site.call(nil, "GET", "/room/lounge/file/2").body == [1, 2, 3])
    }
  }

  @Test func aFileThatWaitedForItsMessageIsForItsUploaderAlone() async throws {
    var ben: Member?
    let old = try fixture(PysogsFixture.released) { old in
      let member = try old.member()
      ben = member
      try old.write([1, 2, 3], to: "uploads/lounge/1_(unnamed)")
      return [
        PysogsFixture.user(1, member),
        """
        INSERT INTO files (room, uploader, size, expiry, path)
          VALUES (1, 1, 3, (julianday('now') - 2440587.5) * 86400.0 + 3600.5, 'uploads/lounge/1_(unnamed)');
        """,
      ]
    }
    let member = try #require(ben)
    try await withImported(old) { (site, _) async throws in
      #expect(try await site.call(nil, "GET", "/room/lounge/file/1").status == 404)
      #expect(try await site.call(member, "GET", "/room/lounge/file/1").body == [1, 2, 3])
    }
  }

  @Test func idsThatSignedOnTheBranchAreKept() async throws {
    var people: [Member] = []
    let old = try fixture(PysogsFixture.branch) { old in
      let ann = try old.member()
      people = [ann, try ann.with(.blinded25), try old.member(.blinded25)]
      return [
        PysogsFixture.user(1, people[1]), PysogsFixture.user(2, people[2]),
        try PysogsFixture.message("old", by: ann, user: 1, others: [("alt_id", "'\(ann.id)'")]),
        try PysogsFixture.message("new", by: people[1], user: 1),
        """
        INSERT INTO inbox (recipient, sender, body, alt_id) VALUES (2, 1, \(Self.letter), '\(ann.id)');
        INSERT INTO inbox (recipient, sender, body) VALUES (2, 1, \(Self.letter));
        """,
      ]
    }
    let (expected, recipient) = (people.prefix(2).map(\.id), people[2])
    try await withImported(old) { (site, report) async throws in
      #expect(report.leftOut == [])
      #expect(report.wrongSignatures == 0)
      #expect(try await page(site, since: 0).compactMap { $0["session_id"]?.string } == expected)
      // A letter is opened with the id that sealed it.
      let letters = try await site.call(recipient, "GET", "/inbox").json.elements
      #expect(letters.compactMap { $0["sender"]?.string } == expected)
      #expect(try await site.server.store.read { try $0.value("SELECT count(*) FROM person") } == 2)
    }
  }

  @Test func reactionsInOneTableComeOver() async throws {
    let old = try fixture(PysogsFixture.first) { old in
      let (ann, ben) = (try old.member(), try old.member())
      return [
        PysogsFixture.user(1, ann), PysogsFixture.user(2, ben),
        try PysogsFixture.message("one", by: ann, user: 1),
        """
        CREATE TABLE reactions (
          message INTEGER NOT NULL, reaction TEXT NOT NULL, "user" INTEGER NOT NULL, at FLOAT NOT NULL,
          PRIMARY KEY (message, reaction, "user"));
        INSERT INTO reactions VALUES (1, '🎉', 1, 20.0), (1, '👍', 2, 10.0), (1, '🎉', 2, 30.0);
        ALTER TABLE messages ADD COLUMN seqno_reactions INTEGER NOT NULL DEFAULT 0;
        UPDATE messages SET seqno_reactions = 4;
        """,
      ]
    }
    try await withImported(old) { (site, report) async throws in
      #expect(report.leftOut == [])
      let message = try await site.call(nil, "GET", "/room/lounge/message/1").json
      #expect(message["reactions"]?.names == ["👍", "🎉"])
      #expect(message["reactions"]?["🎉"]?["count"] == 2)
    }
  }
}
