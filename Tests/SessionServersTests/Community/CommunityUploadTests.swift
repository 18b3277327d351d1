import Foundation
import SessionBase
import SessionCore
import SessionHTTP
import SessionService
import SessionStorage
import Testing

@testable import SessionServers

/// Files that arrive in pieces.
@Suite(.onAllStorages, .timeLimit(.minutes(10))) struct CommunityUploadTests {
  private static let path = "/room/lobby/file"

  private func content(_ count: Int) -> [UInt8] {
    (0..<count).map { UInt8(truncatingIfNeeded: $0 &* 31 >> 3) }
  }

  private func head(
    _ headers: [(String, String)], length: Int? = nil, _ others: String = ""
  ) -> [UInt8] {
    var text = "POST \(Self.path) HTTP/1.1\r\nHost: a\r\n\(others)"
    for (name, value) in headers { text += "\(name): \(value)\r\n" }
    if let length { text += "Content-Length: \(length)\r\n" }
    return bytes("\(text)\r\n")
  }

  /// Bytes of content that has no name yet.
  private func arrived(_ site: CommunitySite) -> Int {
    let folder = site.folder.path + "/files/incoming"
    let names = (try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? []
    return names.reduce(0) { sum, name in
      let size = try? FileManager.default.attributesOfItem(atPath: "\(folder)/\(name)")[.size] as? Int
      return sum + (size ?? 0)
    }
  }

  @Test(.timeLimit(.minutes(5))) func contentIsOnTheDeviceBeforeAllOfItHasCome() async throws {
    try await withCommunity { (site) async throws in
      let (member, content) = (try site.member(), content(3_000_000))
      let upload = try PartialUpload(to: try #require(site.server.address))
      let headers = try member.headers("POST", Self.path, content, at: site.clock.now)
      await upload.send(head(headers, length: content.count) + content.prefix(2_000_000))
      while arrived(site) < 1_500_000 {
        try Task.checkCancellation()
        await Task.yield()
      }
      await upload.send(Array(content.dropFirst(2_000_000)))
      #expect(await upload.status() == 201)
      #expect(arrived(site) == 0)
      #expect(try await site.call(member, "GET", "\(Self.path)/1").body == content)
    }
  }

  @Test(.timeLimit(.minutes(5))) func uploadsThatAreForgedOrCutOffLeaveNothing() async throws {
    try await withCommunity { (site) async throws in
      let (member, content) = (try site.member(), content(500_000))
      let headers = try member.headers("POST", Self.path, content, at: site.clock.now)
      let forged = try await site.send(
        "POST", Self.path, headers: headers, Array(content.dropLast()) + [0xFF])
      #expect(forged.status == 401)
      let upload = try PartialUpload(to: try #require(site.server.address))
      await upload.send(head(headers, length: content.count) + content.prefix(300_000))
      while arrived(site) == 0 {
        try Task.checkCancellation()
        await Task.yield()
      }
      upload.hangUp()
      while arrived(site) > 0 {
        try Task.checkCancellation()
        await Task.yield()
      }
      #expect(try await site.contentCount() == 0)
      #expect(site.server.rules.shelves.bytes == 0)
      // The nonce of the forged request was not used up.
      #expect(try await site.send("POST", Self.path, headers: headers, content).status == 201)
    }
  }

  @Test(.timeLimit(.minutes(5))) func uploadsThatAreCutOffCountLikeForgedOnes() async throws {
    try await withCommunity {
      $0.requests.perAddress = 0.2
      // The requests of the test itself are never too many.
      $0.requests.burst = 1e9
    } body: { (site) async throws in
      let (member, content) = (try site.member(), content(500_000))
      #expect(try await site.call(member, "GET", "/rooms").status == 200)
      let headers = try member.headers("POST", Self.path, content, at: site.clock.now)
      let upload = try PartialUpload(to: try #require(site.server.address))
      await upload.send(head(headers, length: content.count) + content.prefix(300_000))
      while arrived(site) == 0 {
        try Task.checkCancellation()
        await Task.yield()
      }
      upload.hangUp()
      // The server counts it when it notices.
      while try await site.call(member, "GET", "/rooms").status != 429 {
        try Task.checkCancellation()
        await Task.yield()
      }
    }
  }

  /// It counts as one that is cut off, also where the server notices only when it takes memory for a piece.
  @Test func anUploadWhoseClientHasLeftIsNoFaultOfTheServer() async throws {
    try await withCommunity { (site) async throws in
      let uploads = CommunityUploads(site.server.rules.shelves, log: .silent)
      let status = await Task { () async -> Int in
        withUnsafeCurrentTask { $0?.cancel() }
        do throws(CommunityRefusal) {
          _ = try await uploads.receive(HTTPBody([1, 2, 3]), upTo: 100)
          return 200
        } catch {
          return error.status
        }
      }.value
      #expect(status == 400)
    }
  }

  @Test(.timeLimit(.minutes(5))) func contentThatCannotBeStoredIsNotAskedFor() async throws {
    try await withCommunity {
      $0.maxFileBytes = 1_000_000
    } body: { (site) async throws in
      let (member, address) = (try site.member(), try #require(site.server.address))
      let long = content(1_000_001)
      let old = try member.headers("POST", Self.path, long, at: site.clock.now - 90_000_000)
      let expects = "Expect: 100-continue\r\n"
      let refusals: [(headers: [(String, String)], status: Int)] = [
        ([], 401), (old, 425), (try member.headers("POST", Self.path, long, at: site.clock.now), 413),
      ]
      for refusal in refusals {
        let upload = try PartialUpload(to: address)
        await upload.send(head(refusal.headers, length: long.count, expects))
        #expect(await upload.status() == refusal.status)
      }
      #expect(try await site.contentCount() == 0)
    }
  }

  @Test(.timeLimit(.minutes(5))) func contentWithoutALengthIsTakenUpToTheLimit() async throws {
    try await withCommunity {
      $0.maxFileBytes = 100_000
    } body: { (site) async throws in
      let address = try #require(site.server.address)
      for (count, status) in [(100_000, 201), (100_001, 413)] {
        let (member, content) = (try site.member(), content(count))
        let headers = try member.headers("POST", Self.path, content, at: site.clock.now)
        let upload = try PartialUpload(to: address)
        await upload.send(head(headers, "Transfer-Encoding: chunked\r\n"))
        await upload.send(bytes("\(String(count, radix: 16))\r\n") + content + bytes("\r\n0\r\n\r\n"))
        #expect(await upload.status() == status)
      }
      #expect(try await site.contentCount() == 1)
    }
  }

  @Test func roomsHaveALimitOfTheirOwn() async throws {
    try await withCommunity {
      $0.maxRoomFiles = 250
    } body: { (site) async throws in
      try await site.addRoom("other")
      let member = try site.member()
      for (room, status) in [("lobby", 201), ("lobby", 201), ("lobby", 507), ("other", 201)] {
        let answer = try await site.call(member, "POST", "/room/\(room)/file", content(100))
        #expect(answer.status == status, "\(room)")
      }
      #expect(try await site.contentCount() == 3)
      #expect(site.server.rules.shelves.bytes == 300)
    }
  }

  @Test func theOperatorLearnsOnceThatLittleRoomIsLeft() async throws {
    try await withCommunity {
      $0.maxFileStore = 10_000
    } body: { (site) async throws in
      let shelves = site.server.rules.shelves
      shelves.occupy(8000)
      #expect(!shelves.becameNearlyFull())
      shelves.occupy(1)
      #expect(shelves.becameNearlyFull())
      #expect(!shelves.becameNearlyFull())
      shelves.release(1)
      #expect(!shelves.becameNearlyFull())
      shelves.occupy(1)
      #expect(shelves.becameNearlyFull())
      shelves.release(8001)
    }
  }
}
