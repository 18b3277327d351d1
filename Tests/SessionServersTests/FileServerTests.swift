import Foundation
import SessionCore
import SessionHTTP
import SessionNode
import SessionService
import Testing

@testable import SessionServers

@Suite(.timeLimit(.minutes(5))) struct FileServerTests {
  private let day = 86_400.0

  @Test(arguments: Way.allCases)
  func aFileIsSentFetchedAndAskedFor(way: Way) async throws {
    try await withFileSite { (site) async throws in
      let now = Double(site.clock.now) / 1000
      let sent = try await site.call(
        "POST", "/file", over: way,
        headers: [("Content-Type", "application/octet-stream"), ("Content-Disposition", "attachment")],
        body: bytes("hello"))
      #expect(sent.status == 200)
      let id = try #require(try sent.json["id"] as? String)
      #expect(id == "tKO2VVg1JPHwgZuvqK_7bDHJeSr4UJ_8i13ETlwAn0jB")
      #expect(try sent.json["size"] as? Int == 5)
      #expect(try sent.json["uploaded"] as? Double == now)
      #expect(try sent.json["expires"] as? Double == now + 21 * day)

      let found = try await site.call("GET", "/file/\(id)", over: way)
      #expect(found.status == 200)
      #expect(found.body == bytes("hello"))
      #expect(found.headers["content-type"] == "application/octet-stream")
      #expect(found.headers["expires"] == "Fri, 05 Feb 2027 08:00:00 GMT")

      let info = try await site.call("GET", "/file/\(id)/info", over: way)
      #expect(info.status == 200)
      #expect(try info.json["size"] as? Int == 5)
      #expect(try info.json["uploaded"] as? Double == now)

      site.clock.advance(.seconds(86_400))
      let extended = try await site.call("POST", "/file/\(id)/extend", over: way)
      #expect(extended.status == 200)
      #expect(try extended.json["expires"] as? Double == now + 22 * day)
      #expect(try extended.json["uploaded"] as? Double == now)
    }
  }

  @Test(arguments: Way.allCases)
  func emptyAndOversizedFilesAreRejected(way: Way) async throws {
    try await withFileSite {
      $0.maxFileBytes = 1000
    } body: { (site) async throws in
      for (count, status) in [(0, 413), (1, 200), (1000, 200), (1001, 413)] {
        let answer = try await site.call(
          "POST", "/file", over: way, body: [UInt8](repeating: 7, count: count))
        #expect(answer.status == status)
        if status != 200 { #expect(answer.text == #"{"status_code":413}"#) }
      }
    }
  }

  @Test(arguments: Way.allCases)
  func missingFilesAreNotFound(way: Way) async throws {
    try await withFileSite { (site) async throws in
      let id = "tKO2VVg1JPHwgZuvqK_7bDHJeSr4UJ_8i13ETlwAn0jB"
      for path in [
        "/file/\(id)", "/file/\(id)/info", "/file/\(id)x", "/file/1", "/file/..", "/file/%2e%2e%2fkey",
        "/file/\(id)/other", "/files/\(id)", "/", "/oxen/v4/lsrpc/x",
      ] {
        #expect(try await site.call("GET", path, over: way).status == 404, "\(path)")
      }
      #expect(try await site.call("POST", "/file/\(id)/extend", over: way).status == 404)
      let other = try await site.call("DELETE", "/file/\(id)", over: way)
      #expect(other.status == 405)
      #expect(other.headers["allow"] == "GET")
    }
  }

  @Test(arguments: Way.allCases)
  func headAsksForNoBody(way: Way) async throws {
    try await withFileSite { (site) async throws in
      let id = try await site.upload(bytes("hello"))
      let answer = try await site.call("HEAD", "/file/\(id)", over: way)
      #expect(answer.status == 200)
      #expect(answer.body.isEmpty)
    }
  }

  // MARK: - Times

  @Test func aFileGoesWhenItsTimeIsOver() async throws {
    try await withFileSite {
      $0.lifetime = .seconds(100)
    } body: { (site) async throws in
      let id = try await site.upload(bytes("hello"))
      #expect(site.folder.files(in: "files") == [id])
      site.clock.advance(.seconds(99))
      #expect(try await site.call("GET", "/file/\(id)").status == 200)
      #expect(try await site.server.store.sweep(now: site.clock.now) == 0)
      site.clock.advance(.seconds(1))
      #expect(try await site.call("GET", "/file/\(id)").status == 404)
      #expect(try await site.call("GET", "/file/\(id)/info").status == 404)
      #expect(try await site.call("POST", "/file/\(id)/extend").status == 404)
      #expect(try await site.server.store.sweep(now: site.clock.now) == 1)
      #expect(site.folder.files(in: "files").isEmpty)
      #expect(try await site.server.store.totals() == (0, 0))
    }
  }

  @Test func uploadingAgainExtendsTheLifetime() async throws {
    try await withFileSite {
      $0.lifetime = .seconds(100)
    } body: { (site) async throws in
      let id = try await site.upload(bytes("hello"))
      let first = try await site.expiry(of: id)
      site.clock.advance(.seconds(60))
      #expect(try await site.upload(bytes("hello")) == id)
      #expect(try await site.expiry(of: id) == first + 60)
      #expect(try await site.server.store.totals() == (1, 5))
    }
  }

  @Test func aTimeThatIsAskedForCountsWhereClientsHaveASay() async throws {
    try await withFileSite {
      $0.lifetime = .seconds(1000)
    } body: { (site) async throws in
      let now = Double(site.clock.now) / 1000
      let id = try await site.upload(bytes("hello"), ttl: "5")
      #expect(try await site.expiry(of: id) == now + 1000)
      #expect(try await site.expiry(of: site.upload(bytes("x"), ttl: "rubbish")) == now + 1000)
    }
    try await withFileSite {
      $0.lifetime = .seconds(1000)
      $0.maxLifetime = .seconds(5000)
    } body: { (site) async throws in
      let now = Double(site.clock.now) / 1000
      #expect(try await site.expiry(of: site.upload(bytes("a"), ttl: "5")) == now + 5)
      #expect(try await site.expiry(of: site.upload(bytes("b"), ttl: "5001")) == now + 5000)
      let id = try await site.upload(bytes("c"))
      #expect(try await site.expiry(of: id) == now + 1000)
      for ttl in ["0", "-1", "x", "1.5", "18446744073709551616"] {
        let answer = try await site.call("POST", "/file", headers: [("X-FS-TTL", ttl)], body: bytes("d"))
        #expect(answer.status == 400, "\(ttl)")
      }
      // A lifetime is never shortened.
      let shorter = try await site.call("POST", "/file/\(id)/extend", headers: [("X-FS-TTL", "5")])
      #expect(try shorter.json["expires"] as? Double == now + 1000)
      let longer = try await site.call("POST", "/file/\(id)/extend", headers: [("X-FS-TTL", "3000")])
      #expect(try longer.json["expires"] as? Double == now + 3000)
    }
  }

  // MARK: - Room

  @Test func aFullStoreTakesNothingNew() async throws {
    try await withFileSite {
      $0.maxBytes = 10
      $0.lifetime = .seconds(100)
    } body: { (site) async throws in
      _ = try await site.upload(bytes("123456"))
      let refused = try await site.call("POST", "/file", body: bytes("54321"))
      #expect(refused.status == 507)
      #expect(refused.text == #"{"status_code":507}"#)
      _ = try await site.upload(bytes("4321"))
      _ = try await site.upload(bytes("123456"))
      #expect(site.folder.files(in: "files").count == 2)
      site.clock.advance(.seconds(100))
      try await site.server.store.sweep(now: site.clock.now)
      _ = try await site.upload(bytes("54321"))
    }
  }

  // MARK: - As old clients ask

  @Test(arguments: Way.allCases)
  func oldClientsSendAndFetch(way: Way) async throws {
    try await withFileSite { (site) async throws in
      let sent = try await site.call("POST", "/files", over: way, body: bytes(#"{"file":"aGVsbG8="}"#))
      #expect(try sent.json["status_code"] as? Int == 200)
      let number = try #require(try sent.json["result"] as? Int)
      #expect((1..<(1 << 53)).contains(number))
      let found = try await site.call("GET", "/files/\(number)", over: way)
      #expect(try found.json["status_code"] as? Int == 200)
      #expect(try found.json["result"] as? String == "aGVsbG8=")
      #expect(try await site.call("GET", "/file/\(number)", over: way).body == bytes("hello"))
      let again = try await site.call("POST", "/files", over: way, body: bytes(#"{"file":"aGVsbG8="}"#))
      #expect(try again.json["result"] as? Int == number)
      for body in ["", "[]", "{}", #"{"file":1}"#, #"{"file":"*"}"#] {
        #expect(try await site.call("POST", "/files", over: way, body: bytes(body)).status == 400, "\(body)")
      }
      #expect(try await site.call("POST", "/files", over: way, body: bytes(#"{"file":""}"#)).status == 413)
    }
  }

  // MARK: - Lives of the server

  @Test func damagedFilesAreSaidToBe() async throws {
    let folder = try TemporaryFolder()
    try await withFileSite(in: folder) { (_) async throws in }
    let rows = folder.path + "/files.db"
    try Data(repeating: 7, count: 8192).write(to: URL(filePath: rows))
    do {
      _ = try FileServer(FileServer.Options(folder: folder.path, address: loopback()))
      Issue.record("it began")
    } catch ServiceFailure.damagedFiles(let why) {
      #expect(why.contains(rows))
    }
  }

  @Test func uploadedFilesCanBeDownloaded() async throws {
    let folder = try TemporaryFolder()
    var key: [UInt8] = []
    var id = ""
    try await withFileSite(in: folder) { (site) async throws in
      key = site.server.key
      id = try await site.upload(bytes("hello"))
      #expect(throws: ServiceFailure.folderInUse(folder.path)) {
        try FileServer(FileServer.Options(folder: folder.path, address: loopback()))
      }
    }
    try await withFileSite(in: folder) { (site) async throws in
      #expect(site.server.key == key)
      #expect(try await site.call("GET", "/file/\(id)").body == bytes("hello"))
      #expect(site.server.store.findings == FileStore.Findings())
    }
  }

  @Test func measurementsAreTold() async throws {
    try await withFileSite { (site) async throws in
      _ = try await site.upload(bytes("hello"))
      _ = try await site.call("GET", "/file/1", over: .onion)
      let text = await site.server.metricsText()
      #expect(text.contains("\nsession_file_server_files 1\n"))
      #expect(text.contains("\nsession_file_server_file_bytes 5\n"))
      #expect(text.contains(#"{route="/file",method="POST",way="plain",status="200"} 1"#))
      #expect(text.contains(#"{route="/file/{id}",method="GET",way="onion",status="404"} 1"#))
      let status = await site.server.status()
      #expect(status.files == 1 && status.bytes == 5 && status.requests == 2)
    }
  }
}
