import SessionCore
import SessionNetworking
import Testing

/// A connection to a node of our own swarm shows our address: it is opened only on request.
@Suite struct WatchingTests {
  private func network(_ kind: Network.Kind) throws -> Network {
    // Those of the main network are built in.
    guard kind == .private else { return try Network(Network.Options(kind)) }
    let seed = try ServiceNode(
      key: [UInt8](repeating: 7, count: 32), address: NetworkAddress(parsing: "127.0.0.1:9"))
    return try Network(Network.Options(kind, seeds: [seed]))
  }

  @Test func onlyOwnNodesTellUnlessItIsSaidOtherwise() throws {
    #expect(NetworkSwarms(try network(.private)).watch != nil)
    #expect(NetworkSwarms(try network(.private), watching: .never).watch == nil)
    #expect(NetworkSwarms(try network(.main)).watch == nil)
    #expect(NetworkSwarms(try network(.main), watching: .directly).watch != nil)
  }
}
