import FoundationEssentials
import SessionCore
import Testing

@testable import SessionServers

/// The folder of a server.
@Suite struct CommunityFolderTests {
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

  @Test func aKeyThatIsOnlyReadIsNotMade() throws {
    let folder = try TemporaryFolder()
    #expect(throws: (any Error).self) { try CommunityServer.key(of: folder.path) }
    #expect(!FileManager.default.fileExists(atPath: folder.path + "/key_x25519"))
  }
}
