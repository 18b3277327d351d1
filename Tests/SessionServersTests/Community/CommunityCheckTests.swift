import FoundationEssentials
import SessionBase
import SessionCore
import SessionHTTP
import SessionStorage
import Testing

@testable import SessionServers

/// Checks of what a server stores.
@Suite(.onBothStoragesWithFolders, .timeLimit(.minutes(10))) struct CommunityCheckTests {
  private func check(_ site: CommunitySite) async throws -> IntegrityReport {
    try await CommunityCheck(ofFolder: site.folder.path, database: site.server.options.database).run()
  }

  /// Posts a message with a file; returns the path of its content.
  private func postFile(_ site: CommunitySite) async throws -> String {
    let member = try await site.admin()
    let answer = try await site.call(member, "POST", "/room/lobby/file", Array("content".utf8))
    let file = try #require(answer.json["id"]?.integer)
    let post = try member.post("with a file", [.init("files", .array([.integer(file)]))])
    try #require(try await site.call(member, "POST", "/room/lobby/message", json: post).status == 201)
    let place: String? = try await site.server.store.read { try $0.value("SELECT place FROM file") }
    return FileShelves(folder: site.folder.path + "/files").path(of: try #require(place))
  }

  @Test func aServerThatRunsIsSound() async throws {
    try await withCommunity { (site) async throws in
      _ = try await postFile(site)
      let report = try await check(site)
      #expect(report.isSound, "\(report)")
      #expect(!site.folder.files(in: "").contains("check.db"))
    }
  }

  @Test func lostContentIsNamed() async throws {
    try await withCommunity { (site) async throws in
      let path = try await postFile(site)
      try Data("short".utf8).write(to: URL(filePath: path))
      #expect(try await check(site).problems == ["file 1: its content is lost"])
      try FileManager.default.removeItem(atPath: path)
      #expect(try await check(site).problems == ["file 1: its content is lost"])
    }
  }

  /// A backup or a check reads the content of rows that may be gone by then.
  @Test func noCheckRunsBesideABackup() async throws {
    try await withCommunity { (site) async throws in
      let path = try await postFile(site)
      let lock = try CommunityFolder(path: site.folder.path).holdContent("test")
      await #expect { try await check(site) } throws: { $0 as? CommunityBackupFailure == .alreadyRunning }
      let author = try await site.admin()
      try #require(try await site.call(author, "DELETE", "/room/lobby/message/1").status == 200)
      site.clock.advance(.seconds(100))
      await site.server.store.tidy(
        site.server.rules, isLast: false, now: Int64(site.clock.now))
      #expect(FileManager.default.fileExists(atPath: path))
      withExtendedLifetime(lock) {}
    }
  }

  @Test func rowsThatContradictEachOtherAreNamed() async throws {
    try await withCommunity { (site) async throws in
      _ = try await postFile(site)
      try #require(
        try await site.call(try await site.admin(), "POST", "/room/lobby/pin/1", json: [:]).status == 200)
      try await site.server.store.write { transaction in
        try transaction.run("UPDATE message SET dataSeq = 1000")
        _ = try transaction.add(try #require(NewRoom(token: "other", name: "Other")), now: 1)
        try transaction.run("UPDATE pin SET room = 2")
        try transaction.run("UPDATE file SET room = 2")
      }
      let report = try await check(site)
      #expect(
        report.problems == [
          "message 1: it changed later than its room", "file 1: its message is not in its room",
          "message 1: it is pinned in another room",
        ])
      #expect(report.damage.isEmpty)
    }
  }

  @Test func manyFindingsAreCounted() async throws {
    try await withCommunity { (site) async throws in
      let member = try site.member()
      for number in 0..<22 { try await site.post("\(number)", as: member) }
      try await site.server.store.write { try $0.run("UPDATE message SET dataSeq = 1000") }
      let problems = try await check(site).problems
      #expect(problems.count == 21)
      #expect(problems.last == "… and 2 more like this")
    }
  }
}

/// The pages of a file.
@Suite struct CommunityDamageTests {
  @Test func aDamagedPageIsFound() async throws {
    let folder = try TemporaryFolder()
    try await withCommunity(in: folder) { (site) async throws in
      try await site.post("hello", as: try site.member())
    }
    let path = folder.path + "/community.db"
    var content = try Data(contentsOf: URL(filePath: path))
    let page = content.count / 2 / 4096 * 4096
    for offset in page..<(page + 100) { content[offset] ^= 0xFF }
    try content.write(to: URL(filePath: path))
    let report = try await CommunityCheck(ofFolder: folder.path).run()
    #expect(!report.damage.isEmpty)
  }
}
