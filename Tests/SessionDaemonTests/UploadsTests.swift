import Folders
import Foundation
import SessionBase
import SessionCore
import Synchronization
import Testing

@testable import SessionDaemon

/// Files that clients send in pieces.
@Suite(.timeLimit(.minutes(5))) struct UploadsTests {
  private let folder: TemporaryFolder
  private let uploads: Uploads

  init() throws {
    folder = try TemporaryFolder()
    uploads = Uploads(in: folder.path("uploads"), maxSize: 1_000_000)
  }

  private final class Owner: Sendable {}

  /// A client whose connection stays.
  private func connected() throws -> (RPCClient, Task<Void, Never>) {
    let (own, other) = try StreamSocket.pair()
    let methods = Dictionary(uniqueKeysWithValues: RPCMethod.files(uploads).map { ($0.name, $0) })
    let connection = RPCConnection(other, methods, NoAccounts(), .own)
    return (RPCClient(own), Task { await connection.run() })
  }

  private func kind(_ client: RPCClient, _ method: String, _ params: JSONValue) async -> String? {
    do {
      _ = try await client.call(method, params)
      return nil
    } catch { return (error as? RPCError)?.kind ?? "\(error)" }
  }

  private func chunk(_ upload: JSONValue, _ place: Int64, _ bytes: [UInt8]) -> JSONValue {
    ["upload": upload, "at": .integer(place), "data": .string(bytes.base64)]
  }

  @Test func piecesBecomeAFile() async throws {
    let (client, serving) = try connected()
    let content = (0..<600_000).map { UInt8(truncatingIfNeeded: $0 &* 31 &+ $0 >> 8) }
    let begun = try await client.call("file.begin", ["name": "a.bin", "size": 600_000])
    let piece = Int(try #require(begun["chunk"]?.integer))
    #expect(piece == 262_144)
    let upload = begun["upload"] ?? .null
    for start in stride(from: 0, to: content.count, by: piece) {
      let part = Array(content[start..<min(start + piece, content.count)])
      _ = try await client.call("file.chunk", chunk(upload, Int64(start), part))
    }
    // What lies on the disk has no name, and so no content that others could read.
    #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path("uploads")) == [])
    let hash = JSONValue.string(try Core.hash(of: content).hex)
    let ended = try await client.call("file.end", ["upload": upload, "blake2b": hash])
    #expect(ended["size"] == 600_000)
    let file = try #require(ended["file"]?.string)
    client.close()
    await serving.value
    // It outlives the connection.
    #expect(try await uploads.file(file) == ("a.bin", content))
    await uploads.drop(file, of: ObjectIdentifier(folder))
    await #expect(throws: RPCError.self) { try await uploads.file(file) }
  }

  @Test func wrongPiecesAreRefused() async throws {
    let (client, serving) = try connected()
    let upload = try await client.call("file.begin", ["name": "a", "size": 10])["upload"] ?? .null
    let cases: [(String, JSONValue, String)] = [
      ("file.begin", [:], "invalid-params"), ("file.begin", ["name": ""], "invalid-params"),
      ("file.begin", ["name": .string(String(repeating: "n", count: 1001))], "invalid-params"),
      ("file.begin", ["name": "a", "size": -1], "invalid-params"),
      ("file.begin", ["name": "a", "size": 1_000_001], "too-long"),
      ("file.begin", ["name": "a", "sice": 1], "invalid-params"),
      ("file.chunk", chunk(upload, 1, [1]), "invalid-params"),
      ("file.chunk", chunk("unknown", 0, [1]), "invalid-params"),
      ("file.chunk", chunk(upload, 0, [UInt8](repeating: 1, count: 11)), "too-long"),
      ("file.chunk", chunk(upload, 1 << 53, [1]), "too-long"),
      ("file.chunk", ["upload": upload, "at": 0, "data": "AAAA\nAAAA"], "invalid-params"),
      ("file.chunk", ["upload": upload, "at": 0], "invalid-params"),
      ("file.end", ["upload": upload, "blake2b": "00"], "invalid-params"),
      ("file.drop", [:], "invalid-params"), ("file.drop", ["upload": upload, "file": "f"], "invalid-params"),
    ]
    for (method, params, kind) in cases {
      #expect(await self.kind(client, method, params) == kind, "\(method) \(params)")
    }
    let whole = chunk(upload, 0, [UInt8](repeating: 1, count: 10))
    _ = try await client.call("file.chunk", whole)
    #expect(await kind(client, "file.chunk", whole) == "invalid-params")
    _ = try await client.call("file.end", ["upload": upload])
    for method in ["file.chunk", "file.end"] {
      let params = method == "file.end" ? ["upload": upload] : whole
      #expect(await kind(client, method, params) == "invalid-params")
    }
    client.close()
    await serving.value
  }

  @Test func aFileThatIsNotAsAnnouncedIsDropped() async throws {
    let (client, serving) = try connected()
    let short = try await client.call("file.begin", ["name": "a", "size": 10])["upload"] ?? .null
    _ = try await client.call("file.chunk", chunk(short, 0, [1, 2, 3]))
    #expect(await kind(client, "file.end", ["upload": short]) == "data")
    #expect(await kind(client, "file.end", ["upload": short]) == "invalid-params")
    let other = try await client.call("file.begin", ["name": "a"])["upload"] ?? .null
    _ = try await client.call("file.chunk", chunk(other, 0, [1, 2, 3]))
    let hash = JSONValue.string(try Core.hash(of: [1, 2, 4]).hex)
    #expect(await kind(client, "file.end", ["upload": other, "blake2b": hash]) == "data")
    client.close()
    await serving.value
  }

  @Test func unfinishedUploadsEndWithTheirConnection() async throws {
    let (client, serving) = try connected()
    var last: JSONValue = .null
    for _ in 0..<Uploads.unfinished {
      last = try await client.call("file.begin", ["name": "a"])["upload"] ?? .null
    }
    #expect(await kind(client, "file.begin", ["name": "a"]) == "limit-reached")
    _ = try await client.call("file.drop", ["upload": last])
    #expect(await kind(client, "file.begin", ["name": "a"]) == nil)
    let (other, otherServing) = try connected()
    #expect(await kind(other, "file.begin", ["name": "a"]) == nil)
    // That of another client.
    #expect(await kind(other, "file.chunk", chunk(last, 0, [1])) == "invalid-params")
    client.close()
    await serving.value
    other.close()
    await otherServing.value
    // All places are free again.
    let owners = (0..<Uploads.limit / Uploads.unfinished).map { _ in Owner() }
    for owner in owners {
      for _ in 0..<Uploads.unfinished {
        _ = try await uploads.begin("a", size: nil, of: ObjectIdentifier(owner), countedFor: nil)
      }
    }
    await #expect(throws: RPCError.self) {
      try await uploads.begin("a", size: nil, of: ObjectIdentifier(folder), countedFor: nil)
    }
  }

  @Test func uploadsLeaveNoWorkBesideTheirConnection() async throws {
    let (own, other) = try StreamSocket.pair()
    let methods = Dictionary(uniqueKeysWithValues: RPCMethod.files(uploads).map { ($0.name, $0) })
    let connection = RPCConnection(other, methods, NoAccounts(), .own)
    let client = RPCClient(own)
    let serving = Task { await connection.run() }
    for _ in 0..<20 {
      let upload = try await client.call("file.begin", ["name": "a"])["upload"] ?? .null
      _ = try await client.call("file.drop", ["upload": upload])
    }
    #expect(connection.backgroundCount == 0)
    client.close()
    await serving.value
  }

  @Test func aTokenHasAPartOfTheFilesOnly() async throws {
    // Those of other requests count, finished or not.
    let requests = (0..<Uploads.ownLimit).map { _ in Owner() }
    defer { withExtendedLifetime(requests) {} }
    for (number, request) in requests.enumerated() {
      let owner = ObjectIdentifier(request)
      let id = try await uploads.begin("a", size: nil, of: owner, countedFor: "bot")
      if number.isMultiple(of: 3) { continue }
      _ = try await uploads.end(id, hash: nil, of: owner)
      await uploads.dropAll(of: owner)
    }
    let owner = ObjectIdentifier(folder)
    await #expect {
      _ = try await uploads.begin("a", size: nil, of: owner, countedFor: "bot")
    } throws: {
      ($0 as? RPCError)?.kind == "limit-reached"
    }
    _ = try await uploads.begin("a", size: nil, of: owner, countedFor: "other")
  }

  @Test func anUnfinishedUploadExpiresAnHourAfterItsLastPiece() async throws {
    let start = ContinuousClock.now
    let passed = Mutex(Duration.zero)
    let uploads = Uploads(in: folder.path("timed"), maxSize: 100) { start + passed.withLock { $0 } }
    let owner = ObjectIdentifier(folder)
    let id = try await uploads.begin("a", size: nil, of: owner, countedFor: nil)
    passed.withLock { $0 += .seconds(3599) }
    try await uploads.add([1], at: 0, to: id, of: owner)
    passed.withLock { $0 += .seconds(3599) }
    #expect(await uploads.isHoldingFiles)
    passed.withLock { $0 += .seconds(2) }
    #expect(await !uploads.isHoldingFiles)
    await #expect(throws: RPCError.self) { try await uploads.add([2], at: 1, to: id, of: owner) }
  }

  @Test func whatAKilledDaemonLeftIsDeleted() throws {
    let left = folder.path("left")
    try FileManager.default.createDirectory(atPath: left, withIntermediateDirectories: true)
    for name in ["upload-abc", "other"] {
      #expect(FileManager.default.createFile(atPath: "\(left)/\(name)", contents: nil))
    }
    Uploads(in: left, maxSize: 1).removeLeftovers()
    #expect(try FileManager.default.contentsOfDirectory(atPath: left) == ["other"])
  }

  @Test func aFileExpiresAnHourAfterItsLastUse() async throws {
    let start = ContinuousClock.now
    let passed = Mutex(Duration.zero)
    let uploads = Uploads(in: folder.path("timed"), maxSize: 100) { start + passed.withLock { $0 } }
    let owner = ObjectIdentifier(folder)
    let id = try await uploads.begin("a", size: nil, of: owner, countedFor: nil)
    let file = try await uploads.end(id, hash: nil, of: owner).file
    for _ in 0..<3 {
      passed.withLock { $0 += .seconds(3599) }
      _ = try await uploads.file(file)
    }
    passed.withLock { $0 += .seconds(3601) }
    await #expect { try await uploads.file(file) } throws: { ($0 as? RPCError)?.kind == "no-file" }
  }
}
