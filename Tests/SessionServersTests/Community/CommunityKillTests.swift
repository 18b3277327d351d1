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

/// A server in a process of its own that is killed while people post and read.
@Suite struct CommunityKillTests {
  @Test(.timeLimit(.minutes(10))) func acknowledgedPostsOutliveTheServer() async throws {
    try await expectNoLoss(database: nil)
  }

  @Test(.onPostgreSQL, .timeLimit(.minutes(10))) func acknowledgedPostsAreInPostgreSQL() async throws {
    let instance = try PostgreSQLInstance.shared.get()
    let name = try instance.takeDatabase()
    try await expectNoLoss(database: try instance.address(of: name))
    try instance.giveBack(name)
  }

  /// Kills a server under load, starts another one in its folder, and compares what people were told.
  private func expectNoLoss(database: PostgreSQLAddress?) async throws {
    let folder = try TemporaryFolder()
    var options = CommunityServer.Options(folder: folder.path, addresses: [try loopback()])
    options.database = database
    let key = try CommunityServer.prepare(folder: folder.path, database: database)
    var lobby = RoomSettings(token: "lobby")
    lobby.name = "Lobby"
    _ = try await CommunityServer.carryOut(.addRoom(lobby), options)
    try folder.write(
      """
      folder = "."
      listen = ["127.0.0.1:0"]
      anonymous_per_address = 1000
      \(database.map { "database = \"\($0)\"" } ?? "")
      """, to: "community-server.toml")
    let process = try start(folder)
    defer { end(process) }
    let address = try await address(of: process, folder)
    async let reading = read(from: address)
    let posted = try await post(to: address, key) { acknowledged in
      if acknowledged == 10 { kill(process.processIdentifier, SIGKILL) }
    }
    // It goes on if fewer posts were acknowledged.
    end(process)
    process.waitUntilExit()
    var reader = try await reading
    #expect(posted.count >= 10)
    try await withCommunity(in: folder) {
      $0.database = database
      $0.files = nil
    } body: { (site) async throws in
      let stored: [Int64] = try await site.server.store.read {
        try $0.values("SELECT id FROM message ORDER BY id")
      }
      #expect(Set(posted).isSubset(of: stored))
      let sequences: [Int64] = try await site.server.store.read {
        try $0.values("SELECT createdSeq FROM message ORDER BY id")
      }
      #expect(sequences == sequences.sorted())
      // What the reader's cursor has passed was seen, and the rest is behind it.
      let rest = try await site.call(nil, "GET", "/room/lobby/messages/since/\(reader.cursor)?limit=256")
      reader.take(rest.json)
      #expect(reader.seen == stored)
    }
  }

  /// What a client has read of a room, and up to which change.
  private struct Reader: Sendable {
    var seen: [Int64] = []
    var cursor: Int64 = 0

    mutating func take(_ page: JSONValue) {
      seen += page.elements.compactMap { $0["id"]?.integer }
      cursor = page.elements.compactMap { $0["seqno"]?.integer }.max() ?? cursor
    }
  }

  /// Reads a room until its server does not answer.
  private func read(from address: String) async throws -> Reader {
    let client = try HTTPClient(options: HTTPClient.Options())
    var reader = Reader()
    while true {
      let url = "http://\(address)/room/lobby/messages/since/\(reader.cursor)"
      guard let reply = try? await client.send(HTTPClient.Request(.get, url)) else { break }
      if reply.status == 200, let page = try? JSONReader.value(of: reply.body) { reader.take(page) }
    }
    await client.stop()
    return reader
  }

  private func start(_ folder: TemporaryFolder) throws -> Process {
    let process = Process()
    process.executableURL = URL(filePath: "/proc/self/exe").resolvingSymlinksInPath()
      .deletingLastPathComponent().appending(path: "session")
    process.arguments = ["server", "community", "run", "--config", folder.path + "/community-server.toml"]
    process.standardError = FileHandle.nullDevice
    try process.start()
    return process
  }

  private func end(_ process: Process) {
    if process.isRunning { kill(process.processIdentifier, SIGKILL) }
  }

  /// Where a server listens, once it does.
  private func address(of process: Process, _ folder: TemporaryFolder) async throws -> String {
    while process.isRunning {
      try Task.checkCancellation()
      if let remote = try? CommunityRemote(folder: folder.path) {
        let status = try? await remote.status()
        await remote.close()
        if let address = status?.addresses.first { return address }
      }
      await Task.yield()
    }
    throw ServiceFailure.notRunning(folder.path)
  }

  /// The numbers of posts that were acknowledged, until the server is gone. `told` hears how many there are.
  private func post(to address: String, _ key: [UInt8], told: (Int) -> Void) async throws -> [Int64] {
    let client = try HTTPClient(options: HTTPClient.Options())
    let numbers = try await withThrowingTaskGroup(of: Int64?.self) { group in
      for _ in 0..<8 { group.addTask { try await Self.post(to: address, key, client) } }
      var numbers: [Int64] = []
      for try await case let number? in group {
        numbers.append(number)
        told(numbers.count)
        group.addTask { try await Self.post(to: address, key, client) }
      }
      return numbers
    }
    await client.stop()
    return numbers
  }

  /// The number of a post of somebody new; nil if it was not acknowledged.
  private static func post(to address: String, _ key: [UInt8], _ client: HTTPClient) async throws -> Int64? {
    let member = try Member(try Account.generate(), on: key, .blinded15)
    let body = bytes(try member.post("hello").description)
    let path = "/room/lobby/message"
    var fields = HTTPHeaders()
    for (name, value) in try member.headers("POST", path, body, at: MachineClock.wallMilliseconds) {
      fields.append(name, value)
    }
    var request = HTTPClient.Request(.post, "http://\(address)\(path)", headers: fields, body: body)
    request.timeout = .seconds(600)
    guard let reply = try? await client.send(request), reply.status == 201 else { return nil }
    return (try? JSONReader.value(of: reply.body))?["id"]?.integer
  }
}
