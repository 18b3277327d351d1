import Foundation
import SessionBase
import SessionCore
import SessionHTTP
import SessionService
import SessionStorage
import Spawning
import TestPostgreSQL
import Testing

@testable import SessionServers

/// Moves of the rows of a server from a file to PostgreSQL, and back.
@Suite(.onPostgreSQL, .timeLimit(.minutes(10))) struct CommunityMoveTests {
  private func withDatabase(_ body: (PostgreSQLInstance, String) async throws -> Void) async throws {
    let instance = try PostgreSQLInstance.shared.get()
    let name = try instance.takeDatabase()
    try await body(instance, name)
    try instance.giveBack(name)
  }

  private func options(_ folder: TemporaryFolder) throws -> CommunityServer.Options {
    CommunityServer.Options(folder: folder.path, addresses: [try loopback()])
  }

  /// What somebody sees of a server.
  private func view(_ site: CommunitySite, _ member: Member) async throws -> [String] {
    var answers: [String] = []
    for path in ["/room/lobby/messages/recent", "/room/lobby/messages/since/0?t=r", "/inbox"] {
      answers.append(try await site.call(member, "GET", path).text)
    }
    return answers
  }

  @Test func allRowsMoveToPostgreSQLAndBack() async throws {
    try await withDatabase { instance, name in
      let (folder, clock) = (try TemporaryFolder(), TestClock())
      let address = try instance.address(of: name)
      let before = Box<(admin: Member, view: [String])?>(nil)
      try await withCommunity(in: folder, clock: clock) { (site) async throws in
        let (admin, member) = (try await site.admin(), try site.member())
        try await site.post("hello", as: admin)
        try await site.post("é 🎉", as: member)
        _ = try await site.call(member, "PUT", "/room/lobby/reaction/1/x", json: [:])
        _ = try await site.call(admin, "POST", "/room/lobby/pin/1", json: [:])
        let letter: JSONValue = ["message": .string(([0] + [UInt8](repeating: 7, count: 60)).base64)]
        _ = try await site.call(member, "POST", "/inbox/\(admin.id)", json: letter)
        // The newest number is that of a row that is gone.
        try await site.post("gone", as: member)
        try await site.server.store.write { try $0.run("DELETE FROM message WHERE id = 3") }
        before.value = (admin, try await view(site, admin))
      }
      let (admin, seen) = try #require(before.value)
      let moved = try await CommunityServer.moveDatabase(try options(folder), to: address) {}
      #expect(moved.first { $0.name == "message" }?.rows == 2)
      #expect(moved.first { $0.name == "person" }?.rows == 2)
      try await withCommunity(in: folder, clock: clock) {
        $0.database = address
      } body: { (site) async throws in
        #expect(try await view(site, admin) == seen)
        #expect(try await site.post("next", as: admin)["id"] == 4)
        try await site.server.store.write { try $0.run("DELETE FROM message WHERE id = 4") }
      }
      var shared = try options(folder)
      shared.database = address
      #expect(
        try await CommunityServer.moveDatabase(shared, to: nil) {}.first { $0.name == "message" }?.rows == 2)
      try await withCommunity(in: folder, clock: clock) { (site) async throws in
        #expect(try await site.post("last", as: admin)["id"] == 5)
        #expect(try await site.texts(nil, "/room/lobby/messages/recent") == ["last", "é 🎉", "hello"])
      }
    }
  }

  @Test func databasesWithRowsAreLeftAlone() async throws {
    try await withDatabase { instance, name in
      let (folder, other) = (try TemporaryFolder(), try TemporaryFolder())
      let address = try instance.address(of: name)
      try await withCommunity(in: folder) { (site) async throws in
        try await site.post("hello", as: try site.member())
      }
      try await withCommunity(in: other) { _ in }
      // It is another server's.
      try await withCommunity {
        $0.database = address
      } body: { _ in
      }
      let error = await failure {
        try await CommunityServer.moveDatabase(try options(folder), to: address) {}
      }
      #expect((error as? StorageError)?.code == .foreign)
      #expect(!folder.files(in: "").contains("community.db.moved"))
      try await withCommunity(in: folder) { (site) async throws in
        #expect(try await site.texts(nil, "/room/lobby/messages/recent") == ["hello"])
      }
    }
  }

  /// A server loses its role with its connection, as when PostgreSQL is started again.
  @Test(.timeLimit(.minutes(2))) func aServerWithoutItsRoleWritesNothingDuringAMove() async throws {
    try await withDatabase { instance, name in
      let address = try instance.address(of: name)
      try await withCommunity {
        $0.database = address
      } body: { (site) async throws in
        let member = try site.member()
        try await site.post("before", as: member)
        var alone: PostgreSQLRole?
        while alone == nil {
          try Task.checkCancellation()
          try instance.run(
            """
            SELECT pg_terminate_backend(pid, 60000) FROM pg_locks JOIN pg_database d ON d.oid = database
            WHERE locktype = 'advisory' AND objid = \(0x534F_4754) AND datname = current_database()
            """, in: name)
          alone = SharedEngine.excludeServers(at: address)
        }
        func status() async throws -> Int {
          site.clock.advance(.seconds(20))
          let post = try member.post("after")
          return try await site.call(member, "POST", "/room/lobby/message", json: post).status
        }
        #expect(try await status() == 503)
        alone?.close()
        #expect(try await status() == 201)
      }
    }
  }

  @Test func aDatabaseOfARunningServerStays() async throws {
    try await withDatabase { instance, name in
      let address = try instance.address(of: name)
      try await withCommunity { (site) async throws in
        let error = await failure {
          try await CommunityServer.moveDatabase(site.server.options, to: address) {}
        }
        guard case ServiceFailure.folderInUse? = error else {
          Issue.record("\(String(describing: error))")
          return
        }
      }
      try await withCommunity {
        $0.database = address
      } body: { (site) async throws in
        // From another machine, which has the same key.
        let other = try TemporaryFolder()
        try FileManager.default.copyItem(
          atPath: site.folder.path + "/key_x25519", toPath: other.path + "/key_x25519")
        var options = site.server.options
        options.folder = other.path
        let error = await failure { [options] in
          try await CommunityServer.moveDatabase(options, to: nil) {}
        }
        #expect("\(String(describing: error))".contains("stop all servers"))
      }
    }
  }

  /// The configuration cannot be written.
  @Test func rowsStayWhereTheirMoveCannotBeRecorded() async throws {
    try await withDatabase { instance, name in
      let folder = try TemporaryFolder()
      let address = try instance.address(of: name)
      try await withCommunity(in: folder) { (site) async throws in
        try await site.post("hello", as: try site.member())
      }
      let error = await failure {
        try await CommunityServer.moveDatabase(try options(folder), to: address) { throw Refusal() }
      }
      #expect(error is Refusal)
      // The next attempt finds them there, as long as they are the same.
      let next = await failure {
        try await CommunityServer.moveDatabase(try options(folder), to: address) { throw Refusal() }
      }
      #expect(next is Refusal)
      try await withCommunity(in: folder) { (site) async throws in
        #expect(try await site.texts(nil, "/room/lobby/messages/recent") == ["hello"])
        try await site.post("more", as: try site.member())
      }
      let again = await failure {
        try await CommunityServer.moveDatabase(try options(folder), to: address) {}
      }
      #expect((again as? StorageError)?.code == .duplicate)
    }
  }

  /// The program itself, with a configuration of its own.
  @Test func theCommandMovesRowsThereAndBack() async throws {
    try await withDatabase { instance, name in
      let folder = try TemporaryFolder()
      let address = try instance.address(of: name)
      try await withCommunity(in: folder) { (site) async throws in
        try await site.post("hello", as: try site.member())
      }
      try folder.write("folder = \".\"\nlisten = [\"127.0.0.1:0\"]\n", to: "community-server.toml")
      for place in ["\(address)", "file"] {
        let process = Process()
        process.executableURL = URL(filePath: "/proc/self/exe").resolvingSymlinksInPath()
          .deletingLastPathComponent().appending(path: "session")
        process.arguments = [
          "server", "community", "database", "move", "--to", place, "--config",
          folder.path + "/community-server.toml",
        ]
        process.standardOutput = FileHandle.nullDevice
        try process.start()
        process.waitUntilExit()
        #expect(process.terminationStatus == 0)
        let text = try String(contentsOfFile: folder.path + "/community-server.toml", encoding: .utf8)
        #expect(text.contains("database") == (place != "file"), "\(text)")
      }
      try await withCommunity(in: folder) { (site) async throws in
        #expect(try await site.texts(nil, "/room/lobby/messages/recent") == ["hello"])
      }
    }
  }

  @Test func aBackupHoldsTheRowsOfPostgreSQL() async throws {
    try await withDatabase { instance, name in
      let (folder, clock) = (try TemporaryFolder(), TestClock())
      let (backup, restored) = (folder.path + "/chat.backup", try TemporaryFolder())
      let address = try instance.address(of: name)
      let member = Box<Member?>(nil)
      try await withCommunity(clock: clock) {
        $0.database = address
      } body: { (site) async throws in
        member.value = try site.member()
        try await site.post("hello", as: try #require(member.value))
        let report = try await CommunityBackup(
          ofFolder: site.folder.path, database: address, passphrase: nil
        ).write(to: backup)
        #expect(report.rooms == 1 && report.messages == 1)
        #expect(!site.folder.files(in: "").contains { $0.hasPrefix("backup-rows") })
      }
      _ = try await CommunityRestore(toFolder: restored.path, key: nil).restore(backup) { nil }
      try await withCommunity(in: restored, clock: clock) { (site) async throws in
        #expect(try await site.texts(nil, "/room/lobby/messages/recent") == ["hello"])
        #expect(try await site.post("next", as: try #require(member.value))["id"] == 1_000_002)
      }
    }
  }

  @Test func numbersMoveOnInADatabaseThatAnotherToolRestored() async throws {
    try await withDatabase { instance, name in
      let (folder, clock) = (try TemporaryFolder(), TestClock())
      let address = try instance.address(of: name)
      let member = Box<Member?>(nil)
      try await withCommunity(in: folder, clock: clock) {
        $0.database = address
      } body: { (site) async throws in
        member.value = try site.member()
        try await site.post("one", as: try #require(member.value))
        await #expect(throws: ServiceFailure.self) {
          try await CommunityRestore.skipNumbers(inFolder: folder.path, database: address)
        }
      }
      try await CommunityRestore.skipNumbers(inFolder: folder.path, database: address)
      try await withCommunity(in: folder, clock: clock) {
        $0.database = address
      } body: { (site) async throws in
        let message = try await site.post("two", as: try #require(member.value))
        #expect(message["id"] == 1_000_002 && message["seqno"] == 1_000_002)
      }
    }
  }

  private struct Refusal: Error {}

  private func failure<R>(_ body: () async throws -> R) async -> (any Error)? {
    do {
      _ = try await body()
      return nil
    } catch {
      return error
    }
  }
}

private final class Box<Value> {
  var value: Value
  init(_ value: Value) { self.value = value }
}
