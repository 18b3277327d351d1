import SessionCore
import SessionNetworking
import SessionNodeCore
import Testing

extension NetworkClientTests {
  /// The client verifies the replies of nodes.
  @Suite(.serialized) struct SwarmRepliesTests {
    private let me: Account
    private let store: Storage.Store

    init() throws {
      me = try Example.first()
      store = Storage.Store([1], to: me.id, lifetime: .seconds(60))
    }

    @Test func aForgedSignatureMakesTheReplyNone() async throws {
      try await onLoopback { nodes, client in
        nodes.storage.misbehave { $0.method == "store" ? .forge : nil }
        let error = await failure { try await client.send(store) }
        #expect(error?.code == .storageNodeSignature)
        #expect(error?.kind == .transient)
      }
    }

    @Test func aForgedSignatureInABatchMakesThatResultNone() async throws {
      try await onLoopback { nodes, client in
        nodes.storage.misbehave { $0.method == "batch" ? .forge : nil }
        var batch = Storage.Batch()
        let stored = batch.add(store)
        let kept = batch.add(Storage.Retrieve(.messages, as: .account(me)))
        let results = try await client.send(batch).reply
        #expect(results[stored].code == .storageNodeSignature)
        #expect(try results[kept].get().messages.count == 1)
      }
    }

    @Test func nodesThatFailedAreNamed() async throws {
      try await onLoopback { nodes, client in
        let broken = nodes.nodes[3].key
        nodes.storage.misbehave { _ in .fail(broken, .timedOut) }
        let stored = try await client.send(store).reply
        #expect(stored.isEnough)
        #expect(stored.successes.count == 4)
        #expect(stored.failures.map(\.node) == [broken])
        #expect(stored.failures.map(\.reason) == [.timedOut])
        // All have to expire what is there.
        let expiry = try MessageTime(milliseconds: client.time.milliseconds + 90_000)
        let expired = try await client.send(Storage.Expire([store.hash], at: expiry, as: .account(me))).reply
        #expect(!expired.isEnough)
      }
    }

    @Test func nodesThatAreLeftOutAreMissed() async throws {
      try await onLoopback { nodes, client in
        let left = nodes.nodes[2].key
        nodes.storage.misbehave { _ in .omit(left) }
        let stored = try await client.send(store).reply
        #expect(stored.missing == [left])
        #expect(stored.swarmSize == 5)
        #expect(stored.isEnough)
        let expiry = try MessageTime(milliseconds: client.time.milliseconds + 90_000)
        let expired = try await client.send(Storage.Expire([store.hash], at: expiry, as: .account(me))).reply
        #expect(expired.failures.isEmpty && !expired.isEnough)
      }
    }

    @Test func strangersDoNotCount() async throws {
      try await onLoopback { nodes, client in
        nodes.storage.misbehave { _ in .invent }
        let stored = try await client.send(store).reply
        #expect(stored.swarmSize == 5)
        #expect(Set(stored.members.map(\.node)) == Set(nodes.nodes.map(\.key)))
      }
    }

    @Test func dataThatWasNotStoredIsDropped() async throws {
      try await onLoopback { nodes, client in
        _ = try await client.send(store)
        nodes.storage.misbehave { _ in .corrupt }
        let kept = try await client.send(Storage.Retrieve(.messages, as: .account(me))).reply
        #expect(kept.messages.isEmpty)
        #expect(kept.dropped == 1)
        #expect(kept.lastHash == store.hash)
      }
    }

    @Test(arguments: ["", "no document", "[]", #"{"swarm":7}"#, #"{"swarm":{"00":{}}}"#])
    func malformedRepliesAreIgnored(_ body: String) async throws {
      try await onLoopback { nodes, client in
        nodes.storage.misbehave { asked in
          asked.method == "store" ? .answer(.text(200, body)) : nil
        }
        await expectFailure(.storageReply) { _ = try await client.send(store) }
      }
    }

    @Test(arguments: [
      (400, NetworkFailure.Kind.rejected, 1), (403, .rejected, 1), (401, .unauthorized, 1),
      // Other members may succeed where one fails.
      (500, .transient, 3),
    ])
    func aNodeThatSaysNoIsHeard(_ code: Int, _ kind: NetworkFailure.Kind, asked count: Int) async throws {
      try await onLoopback { nodes, client in
        nodes.storage.misbehave { asked in
          asked.method == "store" ? .answer(.text(code, "because\u{202e} of\nthis")) : nil
        }
        let error = await failure { try await client.send(store) }
        #expect(error?.code == .requestFailed)
        #expect(error?.refusal?.code == UInt16(code))
        #expect(error?.message == "the node refused the request with \(code): because ofthis")
        #expect(error?.kind == kind)
        #expect(nodes.storage.count(of: "store") == count)
      }
    }

    @Test func anotherNodeIsTriedWhenOneIsBusy() async throws {
      try await onLoopback { nodes, client in
        nodes.storage.misbehave { [storage = nodes.storage] asked in
          storage.count(of: "store") == 1 && asked.method == "store" ? .answer(.text(503, "busy")) : nil
        }
        let stored = try await client.send(store)
        #expect(stored.attempts == 2)
        #expect(stored.reply.isEnough)
        let asked = nodes.storage.asked.filter { $0.method == "store" }.map(\.node)
        #expect(asked.count == 2 && asked[0] != asked[1])
      }
    }
  }
}

extension Result where Failure == SessionError {
  /// The code of the failure.
  var code: SessionError.Code? {
    guard case .failure(let error) = self else { return nil }
    return error.code
  }
}
