import SessionCore
import SessionNetworking
import Testing

extension NetworkClientTests {
  /// Requests to servers behind the network.
  @Suite(.serialized) struct ServersTests {
    @Test func aServerAnswers() async throws {
      try await onLoopback { nodes, client in
        let request = ServerRequest(
          .post, "/room/200", headers: [.init("X-Token", "abc"), .init("Content-Type", "text/plain")],
          body: Array("hello".utf8))
        let response = try await client.send(request, to: nodes.server.address)
        #expect(response.status == 200 && response.isSuccess)
        #expect(response.body == Array("HELLO".utf8))
        #expect(response.bodyKind == .text)
        #expect(response[header: "Content-Type"] == "text/plain")
        #expect(response[header: "x-method"] == "1")
        #expect(response[header: "X-Headers"] == "Content-Type=text/plain,X-Token=abc")
        #expect(response[header: "nothing"] == nil)
        #expect(response.attempts == 1)
      }
    }

    @Test(arguments: [404, 503, 301])
    func everyStatusIsAResponse(_ status: Int) async throws {
      try await onLoopback { nodes, client in
        let response = try await client.send(ServerRequest(.get, "/x/\(status)"), to: nodes.server.address)
        #expect(response.status == status && !response.isSuccess)
        #expect(response.bodyKind == .none && response.body.isEmpty)
      }
    }

    @Test func wrongClocksAreReported() async throws {
      try await onLoopback { nodes, client in
        let error = await failure {
          try await client.send(ServerRequest(.get, "/x/425"), to: nodes.server.address)
        }
        #expect(error?.code == .networkClock)
        #expect(error?.kind == .clock)
      }
    }

    @Test func aServerThatIsNotThereIsUnreachable() async throws {
      try await onLoopback { nodes, client in
        let nowhere = try OnionServer(host: "nowhere.example", key: nodes.server.address.key)
        let error = await failure { try await client.send(ServerRequest(.get, "/"), to: nowhere) }
        #expect(error?.code == .networkUnreachable)
        #expect(error?.kind == .transient)
      }
    }

    @Test func badRequestsAreNotSent() async throws {
      try await onLoopback { nodes, client in
        let server = try nodes.server.address
        await expectFailure(.onionRequest) { _ = try await client.send(ServerRequest(.get, "x"), to: server) }
        let twice = [ServerResponse.Header("a", "1"), .init("A", "2")]
        await expectFailure(.onionRequest) {
          _ = try await client.send(ServerRequest(.get, "/", headers: twice), to: server)
        }
        #expect(throws: SessionError.self) { try OnionServer(host: "a b", key: server.key) }
        #expect(throws: SessionError.self) { try OnionServer(host: "a", target: "/x", key: server.key) }
        #expect(throws: SessionError.self) { try OnionServer(host: "a", key: [1]) }
      }
    }
  }
}
