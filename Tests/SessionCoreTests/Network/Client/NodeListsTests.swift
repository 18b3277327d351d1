import SessionEndpoint
import SessionNetworking
import Testing

@testable import SessionCore

extension NetworkClientTests {
  /// Nodes report the list of nodes, names, and the time.
  @Suite(.serialized) struct NodeListsTests {
    private static let name = "test"
    private static let record = #"""
      {"result":{"encrypted_value":"5d1ba732c88bb65d6fb29e3b98bf82f95bcc309491635c4e2b7d721d9460a7d90e23378ab498981024cc2bfe9fc7a315b1","nonce":"000102030405060708090a0b0c0d0e0f1011121314151617"}}
      """#
    private static let none = #"{"result":{}}"#

    @Test func aNodeIsAskedByName() async throws {
      try await onLoopback { nodes, client in
        let other = try #require(nodes.nodes.last)
        let info = try await client.send(Storage.Info(), to: .node(other.key))
        #expect(info.node == other)
        let stranger = try NetworkIdentity.random().publicKey
        let error = await failure { try await client.send(Storage.Info(), to: .node(stranger)) }
        #expect(error?.code == .networkUnknownNode)
        #expect(error?.kind == .unreachable)
      }
    }

    @Test func aNameIsResolvedByNodesThatAgree() async throws {
      try await onLoopback(8) { nodes, client in
        nodes.storage.misbehave { $0.method == "oxend_request" ? .answer(.text(200, Self.record)) : nil }
        let account = try await client.account(named: "TeST")
        #expect(account?.description == Example.firstID)
        #expect(Set(nodes.storage.asked.filter { $0.method == "oxend_request" }.map(\.node)).count == 3)
        nodes.storage.misbehave { $0.method == "oxend_request" ? .answer(.text(200, Self.none)) : nil }
        let missing = try await client.account(named: "test")
        #expect(missing == nil)
        await expectFailure(.nameCharacters) { _ = try await client.account(named: "no name") }
        // A record that was sealed for another name.
        nodes.storage.misbehave { $0.method == "oxend_request" ? .answer(.text(200, Self.record)) : nil }
        await expectFailure(.decrypt) { _ = try await client.account(named: "other") }
      }
    }

    @Test func nodesThatDisagreeOnANameAreNotBelieved() async throws {
      try await onLoopback(8) { nodes, client in
        nodes.storage.misbehave { [storage = nodes.storage] asked in
          guard asked.method == "oxend_request" else { return nil }
          let first = storage.asked.first { $0.method == "oxend_request" }
          return .answer(.text(200, asked.node == first?.node ? Self.none : Self.record))
        }
        await expectFailure(.nameRecord) { _ = try await client.account(named: "test") }
      }
    }

    /// The own list of nodes decides where an account is, whatever its members say.
    @Test func membersAloneMoveNoAccount() async throws {
      try await onLoopback(8, swarms: [5, 1 << 63]) { nodes, client in
        let me = try Example.first()
        let computed = try #require(try await client.swarm(of: me.id).first?.swarm)
        nodes.storage.move(me.id, to: computed == 5 ? 1 << 63 : 5)
        let error = await failure {
          try await client.send(Storage.Store([1], to: me.id, lifetime: .seconds(60)))
        }
        #expect(error?.refusal?.code == 421)
        #expect(nodes.storage.count(of: "store") == 4)
        #expect(Set(try await client.swarm(of: me.id).map(\.swarm)) == [computed])
      }
    }

    @Test func aRedirectToNowhereIsAnError() async throws {
      try await onLoopback { nodes, client in
        nodes.storage.misbehave { $0.method == "store" ? .answer(.text(421, "elsewhere")) : nil }
        let error = await failure {
          try await client.send(Storage.Store([1], to: Example.first().id, lifetime: .seconds(60)))
        }
        #expect(error?.refusal?.code == 421)
        #expect(error?.kind == .transient)
      }
    }

    @Test func requestSignedWithAWrongClockIsSignedAgain() async throws {
      try await onLoopback { nodes, client in
        var status = client.status.makeAsyncIterator()
        while client.currentStatus.clockOffset == nil { _ = await status.next() }
        nodes.storage.setClocks(ahead: 600_000)
        let kept = try await client.send(Storage.Retrieve(.messages, as: .account(Example.first())))
        #expect(kept.reply.messages.isEmpty)
        // Two nodes say that the clock is wrong.
        #expect(nodes.storage.count(of: "retrieve") == 3)
        let offset = try #require(client.currentStatus.clockOffset)
        #expect((590_000...610_000).contains(offset))
      }
    }

    @Test func nodesThatInsistOnAnotherTimeDoNotMoveTheClock() async throws {
      try await onLoopback { nodes, client in
        nodes.storage.misbehave { $0.method == "retrieve" ? .answer(.text(406, "check your clock")) : nil }
        let error = await failure {
          try await client.send(Storage.Retrieve(.messages, as: .account(Example.first())))
        }
        #expect(error?.refusal?.code == 406)
        #expect(nodes.storage.count(of: "retrieve") == 3)
        let offset = try #require(client.currentStatus.clockOffset)
        #expect(abs(offset) < 30_000)
      }
    }
  }
}
