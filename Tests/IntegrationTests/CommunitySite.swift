import Foundation
import SessionCore
import SessionHTTP
import SessionNetworking
import SessionNodeCore
import SessionServers
import SessionService
import Synchronization
import TestCommunity

/// A community server at the end of the paths of a network, with a lobby.
final class CommunitySite: DevnetServer {
  let community: TestCommunity
  let service: NetworkService
  private let server: OnionHTTPServer

  private init(at address: NetworkAddress) throws {
    let keys = try NodeKeys.random()
    let community = try TestCommunity(key: keys.exchangeKey) {
      Int64(Date.now.timeIntervalSince1970 * 1000)
    }
    self.community = community
    community.change { $0.addRoom("lobby", name: "Lobby") }
    var routes = Routes()
    for count in 1...6 {
      let pattern = (1...count).map { "/{\($0)}" }.joined()
      for method in [HTTPMethod.get, .post, .put, .delete] {
        routes.on(method, pattern) { visit in await community.answer(visit.request) }
      }
    }
    server = try OnionHTTPServer(at: address, keys: keys, routes: routes)
    service = try NetworkService(url: "http://\(server.address)", key: keys.publicKey)
  }

  var link: CommunityLink {
    get throws { try CommunityLink(parsing: "\(service.url)/lobby?public_key=\(community.key.hex)") }
  }

  func summary() async -> String { "a lobby" }

  func stop() async { await server.stop(grace: .zero) }

  /// The site of one network, which starts it.
  final class Place: Sendable {
    private let site = Mutex<CommunitySite?>(nil)

    var kind: DevnetServerKind {
      DevnetServerKind(name: CommunityServer.role) { [self] _, address in
        let started = try CommunitySite(at: address)
        site.withLock { $0 = started }
        return started
      }
    }

    var started: CommunitySite? { site.withLock(\.self) }
  }
}
