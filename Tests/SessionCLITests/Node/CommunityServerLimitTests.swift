import SessionServers
import Testing

@testable import SessionCLI

@Suite struct CommunityServerLimitTests {
  @Test(arguments: [(1_048_576, 1024), (4096, 1024), (1024, 480), (50, 16)])
  func connectionsFitTheFilesThatMayBeOpen(files: Int, connections: Int) {
    let options = CommunityServer.Options(folder: "/", addresses: [])
    #expect(options.fitting(files: files).maxConnections == connections)
  }
}
