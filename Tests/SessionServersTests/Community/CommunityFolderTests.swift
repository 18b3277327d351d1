import FoundationEssentials
import SessionCore
import SessionService
import SessionStorage
import Testing

@testable import SessionServers

/// The folder of a server.
@Suite(.timeLimit(.minutes(5))) struct CommunityFolderTests {
  @Test func aLostKeyIsNotReplaced() async throws {
    let folder = try TemporaryFolder()
    var key: [UInt8] = []
    try await withCommunity(in: folder) { (site) async throws in key = site.server.key }
    #expect(try CommunityServer.key(of: folder.path) == key)
    try FileManager.default.removeItem(atPath: folder.path + "/key_x25519")
    let options = CommunityServer.Options(folder: folder.path, addresses: [try loopback()])
    #expect(throws: (any Error).self) { try CommunityServer.prepare(folder: folder.path) }
    #expect(throws: (any Error).self) { try CommunityServer(options) }
    await #expect(throws: (any Error).self) { try await CommunityServer.carryOut(.listRooms, options) }
    #expect(throws: (any Error).self) { try CommunityServer.key(of: folder.path) }
    #expect(!FileManager.default.fileExists(atPath: folder.path + "/key_x25519"))
  }

  /// The disk with the database may not be there yet.
  @Test func aLostDatabaseIsNotReplaced() async throws {
    let folder = try TemporaryFolder()
    try await withCommunity(in: folder) { _ in }
    try FileManager.default.removeItem(atPath: folder.path + "/community.db")
    let options = CommunityServer.Options(folder: folder.path, addresses: [try loopback()])
    #expect(throws: ServiceFailure.self) { try CommunityServer(options) }
    await #expect(throws: ServiceFailure.self) { try await CommunityServer.carryOut(.listRooms, options) }
    #expect(!FileManager.default.fileExists(atPath: folder.path + "/community.db"))
  }

  /// Also not where the rows are in PostgreSQL.
  @Test func aServerDoesNotStartInAFolderWithoutKey() throws {
    let folder = try TemporaryFolder()
    var options = CommunityServer.Options(folder: folder.path, addresses: [try loopback()])
    for address in [nil, try PostgreSQLAddress("postgresql://127.0.0.1/none")] {
      options.database = address
      #expect(throws: ServiceFailure.self) { try CommunityServer(options) }
    }
    #expect(!FileManager.default.fileExists(atPath: folder.path + "/key_x25519"))
  }

  @Test func aKeyThatIsOnlyReadIsNotMade() throws {
    let folder = try TemporaryFolder()
    #expect(throws: (any Error).self) { try CommunityServer.key(of: folder.path) }
    #expect(!FileManager.default.fileExists(atPath: folder.path + "/key_x25519"))
  }
}
