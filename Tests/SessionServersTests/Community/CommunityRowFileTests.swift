import FoundationEssentials
import SessionBase
import SessionCore
import SessionHTTP
import SessionStorage
import TestPostgreSQL
import Testing

@testable import SessionServers

/// Files whose content is in PostgreSQL, for servers that share no folder.
@Suite(.onPostgreSQL, .timeLimit(.minutes(10))) struct CommunityRowFileTests {
  private func content(_ count: Int) -> [UInt8] {
    (0..<count).map { UInt8(truncatingIfNeeded: $0 &* 31 >> 3) }
  }

  /// Two servers on one database, with folders of their own.
  private func withTwo(
    _ body: (CommunitySite, CommunitySite, PostgreSQLAddress) async throws -> Void
  ) async throws {
    let instance = try PostgreSQLInstance.shared.get()
    let name = try instance.takeDatabase()
    let address = try instance.address(of: name)
    let (folder, clock) = (try TemporaryFolder(), TestClock())
    try await withCommunity(clock: clock) {
      $0.database = address
    } body: { (one) async throws in
      try FileManager.default.copyItem(
        atPath: one.folder.path + "/key_x25519", toPath: folder.path + "/key_x25519")
      try await withCommunity(in: folder, clock: clock) {
        $0.database = address
      } body: { (other) async throws in
        try await body(one, other, address)
      }
    }
    try instance.giveBack(name)
  }

  private func post(_ site: CommunitySite, _ member: Member, _ files: [JSONValue]) async throws {
    let json = try member.post("with files", [.init("files", .array(files))])
    #expect(try await site.call(member, "POST", "/room/lobby/message", json: json).status == 201)
  }

  private func chunks(_ site: CommunitySite) async throws -> Int? {
    try await site.server.store.read { try $0.value("SELECT count(*) FROM file_chunk") }
  }

  @Test func aFileOfOneServerIsReadFromTheOther() async throws {
    try await withTwo { one, other, _ in
      let (member, reader) = (try one.member(), try one.member())
      let sizes = [1, 256 * 1024, 256 * 1024 + 1, 1_000_000]
      for (index, size) in sizes.enumerated() {
        for way in Way.allCases {
          let upload = try await one.call(member, "POST", "/room/lobby/file", content(size), over: way)
          let number = try #require(upload.json["id"]?.integer)
          one.clock.advance(.seconds(4))
          try await post(one, member, [.integer(number)])
          let path = "/room/lobby/file/\(number)"
          let file = try await other.call(reader, "GET", path, over: way)
          #expect(file.body == content(size), "\(index)")
          #expect(file.headers["Content-Type"] == "application/octet-stream")
          let batch = JSONValue.array([["method": "GET", "path": .string(path)]])
          let answers = try await other.call(reader, "POST", "/batch", bytes(batch.description)).json.elements
          #expect(answers.first?["body"]?.string == content(size).base64)
        }
      }
      for site in [one, other] { #expect(site.folder.files(in: "files").isEmpty) }
    }
  }

  @Test func downloadsNeedNoMoreThanTheirRoomOnTheDevice() async throws {
    try await withTwo { one, other, _ in
      let (member, copies) = (try one.member(), other.server.rules.shelves.copies)
      #expect(try await one.call(member, "POST", "/room/lobby/file", content(300_000)).status == 201)
      try await post(one, member, [1])
      do {
        let others = try #require(copies.take(CommunityShelves.maxCopies - 299_999, for: []))
        #expect(copies.take(300_000, for: []) == nil)
        let refused = try await other.call(member, "GET", "/room/lobby/file/1")
        #expect(refused.status == 503 && refused.headers["Retry-After"] == "10")
        withExtendedLifetime(others) {}
      }
      #expect(try await other.call(member, "GET", "/room/lobby/file/1").body == content(300_000))
    }
  }

  /// A share of the room, once those of copies that were sent are given back.
  private func share(of room: CopyRoom, _ count: Int, for client: CopyRoom.Client) async -> CopyRoom.Share {
    while true {
      if let share = room.take(count, for: [client]) { return share }
      await Task.yield()
    }
  }

  @Test(.timeLimit(.minutes(5))) func aClientHasAPartOfTheRoomForCopies() async throws {
    try await withTwo { one, other, _ in
      let (member, copies) = (try one.member(), other.server.rules.shelves.copies)
      #expect(try await one.call(member, "POST", "/room/lobby/file", content(300_000)).status == 201)
      try await post(one, member, [1])
      let (path, loopback) = ("/room/lobby/file/1", try #require(other.server.address).hostBytes)
      #expect(try await other.call(nil, "GET", path).status == 200)
      // Strangers from an address have an eighth of it, and all who ask from there a half.
      for (client, part, statuses) in [
        (CopyRoom.Client.stranger(loopback), 8, [503, 200]), (.address(loopback), 2, [503, 503]),
      ] {
        let taken = await share(of: copies, CommunityShelves.maxCopies / part - 299_999, for: client)
        for (reader, status) in zip([nil, member], statuses) {
          #expect(try await other.call(reader, "GET", path).status == status, "\(client)")
        }
        withExtendedLifetime(taken) {}
      }
      for reader in [nil, member] { #expect(try await other.call(reader, "GET", path).status == 200) }
    }
  }

  /// A proxy on the same machine may pass on what all nodes of the network send.
  @Test func downloadsThroughTheNetworkUseNoPartOfALocalAddress() async throws {
    try await withTwo { one, other, _ in
      let (member, copies) = (try one.member(), other.server.rules.shelves.copies)
      #expect(try await one.call(member, "POST", "/room/lobby/file", content(300_000)).status == 201)
      try await post(one, member, [1])
      let (path, loopback) = ("/room/lobby/file/1", try #require(other.server.address).hostBytes)
      let taken = await share(of: copies, CommunityShelves.maxCopies / 2 - 299_999, for: .address(loopback))
      for (way, status) in [(Way.plain, 503), (Way.onion, 200)] {
        #expect(try await other.call(member, "GET", path, over: way).status == status, "\(way)")
      }
      withExtendedLifetime(taken) {}
    }
  }

  @Test func theContentGoesWithTheFile() async throws {
    try await withTwo { one, _, _ in
      let member = try one.member()
      #expect(try await one.call(member, "POST", "/room/lobby/file", content(600_000)).status == 201)
      #expect(try await chunks(one) == 3)
      #expect(one.server.rules.shelves.bytes == 600_000)
      one.clock.advance(.seconds(3601))
      try await one.tidy()
      #expect(try await chunks(one) == 0)
      #expect(one.server.rules.shelves.bytes == 0)
      // An upload that breaks off after its first piece leaves nothing.
      try await one.server.store.write { try $0.run("ALTER TABLE file_chunk ADD CHECK (number = 0)") }
      #expect(try await one.call(member, "POST", "/room/lobby/file", content(600_000)).status != 201)
      #expect(try await chunks(one) == 0)
      #expect(one.server.rules.shelves.bytes == 0)
      #expect(try await one.call(member, "POST", "/room/lobby/file", content(10)).status == 201)
    }
  }

  @Test func contentThatGetsNoFileGoesAfterAnHour() async throws {
    try await withTwo { one, _, _ in
      let number = CommunityFile.unplaced(now: Int64(one.clock.now))
      try await one.server.store.write(.content) { try $0.addChunk([1], 0, of: number) }
      one.clock.advance(.seconds(1800))
      try await one.tidy()
      #expect(try await chunks(one) == 1)
      one.clock.advance(.seconds(3600))
      try await one.tidy()
      #expect(try await chunks(one) == 0)
    }
  }

  @Test func contentInTheFolderThatNoRowKnowsGoes() async throws {
    try await withTwo { one, _, _ in
      let member = try one.member()
      #expect(try await one.call(member, "POST", "/room/lobby/file", content(10)).status == 201)
      let (shelves, place) = (one.server.rules.shelves, try CommunityShelves.freshName())
      try shelves.shelves.place(try shelves.shelves.receive(content(10), for: place), as: place)
      try FileManager.default.setAttributes(
        [.modificationDate: Date(timeIntervalSinceNow: -7200)],
        ofItemAtPath: shelves.shelves.path(of: place))
      #expect(try one.server.store.tidy(shelves).orphans == 1)
      #expect(!shelves.shelves.has(place))
    }
  }

  @Test func roomsHavePictures() async throws {
    try await withTwo { one, other, _ in
      let admin = try await one.admin()
      let picture = [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A] as [UInt8] + content(300_000)
      for (number, file) in [(1, content(20)), (2, picture)] as [(Int64, [UInt8])] {
        #expect(try await one.call(admin, "POST", "/room/lobby/file", file).status == 201)
        let status = try await one.call(admin, "PUT", "/room/lobby", json: ["image": .integer(number)]).status
        #expect(status == (number == 1 ? 406 : 200))
      }
      #expect(try await other.call(nil, "GET", "/room/lobby/file/2").body == picture)
      let newer = [0xFF, 0xD8, 0xFF] as [UInt8] + content(1000)
      _ = try await other.server.carryOut(.setImage(room: "lobby", content: Data(newer)))
      #expect(try await one.call(nil, "GET", "/room/lobby/file/3").body == newer)
    }
  }

  @Test func aBackupHasTheContentAndACheckMissesIt() async throws {
    try await withTwo { one, _, address in
      let member = try one.member()
      #expect(try await one.call(member, "POST", "/room/lobby/file", content(600_000)).status == 201)
      try await post(one, member, [1])
      let (folder, target) = (try TemporaryFolder(), try TemporaryFolder())
      let file = folder.path + "/backup"
      let report = try await CommunityBackup(
        ofFolder: one.folder.path, database: address, passphrase: nil
      ).write(to: file)
      #expect(report.files == 1 && report.missing == 0)
      let restoring = try await CommunityRestore(toFolder: target.path + "/chat").restore(file) { nil }
      #expect(restoring.files == 1)
      var options = CommunityServer.Options(folder: target.path + "/chat", addresses: [try loopback()])
      let clock = one.clock
      options.wallClock = { clock.now }
      let restored = try CommunityServer(options)
      let url = "http://\(try #require(restored.address))/room/lobby/file/1"
      let content = try await one.client.send(HTTPClient.Request(.get, url)).body
      #expect(content == self.content(600_000))
      await restored.stop(grace: .zero)
      func problems() async throws -> [String] {
        try await CommunityCheck(ofFolder: one.folder.path, database: address).run().problems
      }
      #expect(try await problems() == [])
      try await one.server.store.write { try $0.run("DELETE FROM file_chunk WHERE number = 1") }
      #expect(try await problems() == ["file 1: its content is lost"])
      #expect(try await one.call(member, "GET", "/room/lobby/file/1").status == 404)
      let later = try await CommunityBackup(
        ofFolder: one.folder.path, database: address, passphrase: nil
      ).write(to: folder.path + "/later")
      #expect(later.files == 0 && later.missing == 1)
    }
  }
}
