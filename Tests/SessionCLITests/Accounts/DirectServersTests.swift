import Folders
import Foundation
import SessionBase
import SessionCore
import SessionHTTP
import SessionNetworking
import Synchronization
import Testing

@testable import SessionCLI
@testable import SessionServers

/// Community servers that are contacted directly, without the network.
@Suite(.timeLimit(.minutes(5))) struct DirectServersTests {
  /// A network without nodes, which knows for whom it was asked.
  private final class NoNetwork: ServerService {
    let asked = Mutex<[String]>([])

    func send(
      _ request: ServerRequest, to server: OnionServer, _ delivery: Network.Delivery
    ) async throws(NetworkFailure) -> ServerResponse {
      asked.withLock { $0.append(server.host) }
      throw NetworkFailure(.unreachable, "there is no network")
    }
  }

  /// A community server that speaks TLS, and what trusts it.
  private static func withServer(
    _ body: (SessionServers.CommunityServer, CommunityLink, HTTPClient.Options) async throws -> Void
  ) async throws {
    let folder = try TemporaryFolder()
    let identity = try TLSIdentity.selfSigned(for: ["127.0.0.1"])
    try folder.write(identity.certificate, to: "authority.pem")
    var options = SessionServers.CommunityServer.Options(
      folder: folder.path("server"), addresses: [try NetworkAddress(parsing: "127.0.0.1:0")])
    options.tls = identity
    _ = try SessionServers.CommunityServer.prepare(folder: options.folder, database: nil)
    let server = try SessionServers.CommunityServer(options)
    let room = try #require(NewRoom(token: "lobby", name: "Lobby"))
    _ = try await server.store.write { try $0.add(room, now: 1_700_000_000_000) }
    var trusting = HTTPClient.Options()
    trusting.trust = .authorities(file: folder.path("authority.pem"))
    trusting.connectTimeout = .seconds(600)
    let outcome: Result<Void, any Error>
    do {
      let link = try CommunityLink(parsing: "\(server.url)/lobby?public_key=\(server.key.hex)")
      outcome = .success(try await body(server, link, trusting))
    } catch {
      outcome = .failure(error)
    }
    await server.stop(grace: .zero)
    try outcome.get()
  }

  @Test func aNamedServerIsUsedWithoutTheNetwork() async throws {
    try await Self.withServer { _, link, options in
      let network = NoNetwork()
      let client = CommunityClient(through: try DirectServers([link.server], options, otherwise: network))
      let server = try SessionNetworking.CommunityServer(link)
      let account = try Account.generate()
      let identity = try CommunityIdentity(of: account, on: server.key, scheme: .blinded15)
      func ask<Answer>(_ call: CommunityCall<Answer>) async throws -> Answer {
        let now = try MessageTime(milliseconds: UInt64(Date().timeIntervalSince1970 * 1000))
        return try call.answer(from: try await client.send(call.request, to: server, as: identity, at: now))
      }
      let room = try Community.Place(server: link.server, room: link.room)
      #expect(try await ask(.room(room)).name == "Lobby")
      let data = Array("over TLS".utf8) + [0x80] + [UInt8](repeating: 0, count: 151)
      let receipt = try await ask(.post(data, signature: try identity.sign(post: data), in: room))
      // The emoji is escaped in the URL, and signed as it is.
      _ = try await ask(.react("👍", to: receipt.number, in: room))
      let page = try await client.send(
        CommunityCall<CommunityPage>.messages(.recent, in: room).request, to: server, as: identity,
        at: MessageTime(milliseconds: UInt64(Date().timeIntervalSince1970 * 1000)))
      #expect(String(decoding: page.body, as: UTF8.self).contains("👍"))
      #expect(network.asked.withLock { $0 }.isEmpty)
    }
  }

  @Test func otherServersAreAskedThroughTheNetworkAlone() async throws {
    try await Self.withServer { _, link, options in
      let network = NoNetwork()
      let service = try DirectServers(["https://example.org"], options, otherwise: network)
      for url in [link.server, "http://example.org", "https://example.org:8443"] {
        let server = try SessionNetworking.CommunityServer(url, key: link.serverKey)
        await #expect { try await CommunityClient(through: service).room(of: server) } throws: {
          ($0 as? NetworkFailure)?.message == "there is no network"
        }
      }
      #expect(network.asked.withLock { $0 } == ["127.0.0.1", "example.org", "example.org"])
    }
  }

  @Test func aNamedServerThatDoesNotAnswerIsNotAskedThroughTheNetwork() async throws {
    try await Self.withServer { running, link, options in
      let network = NoNetwork()
      let server = try SessionNetworking.CommunityServer(link.server, key: link.serverKey)
      // Nothing trusts its certificate.
      let doubting = try DirectServers([link.server], otherwise: network)
      await #expect { try await CommunityClient(through: doubting).room(of: server) } throws: {
        let failure = $0 as? NetworkFailure
        return failure?.kind == .transient && failure?.message.contains("certificate") == true
      }
      await running.stop(grace: .zero)
      let trusting = try DirectServers([link.server], options, otherwise: network)
      await #expect { try await CommunityClient(through: trusting).room(of: server) } throws: {
        ($0 as? NetworkFailure)?.kind == .transient
      }
      #expect(network.asked.withLock { $0 }.isEmpty)
    }
  }
}

extension CommunityClient {
  /// Asks for the lobby, anonymously.
  fileprivate func room(of server: SessionNetworking.CommunityServer) async throws -> CommunityReply {
    let place = try Community.Place(server: server.url, room: "lobby")
    return try await send(
      CommunityCall<CommunityRoom>.room(place).request, to: server, as: nil,
      at: MessageTime(milliseconds: 1_700_000_000_000))
  }
}
