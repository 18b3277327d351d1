import SessionNetworking
import Testing

@testable import SessionCore

extension NetworkClientTests {
  /// Messages of accounts, from being stored to being deleted.
  @Suite(.serialized) struct MessagesOnNodesTests {
    private let me: Account
    private let signer: Storage.Signer

    init() throws {
      me = try Example.first()
      signer = .account(me)
    }

    @Test func theOwnerRetrievesStoredMessages() async throws {
      try await onLoopback { nodes, client in
        let time = try MessageTime(milliseconds: client.time.milliseconds - 5000)
        let store = Storage.Store([1, 2, 3], to: me.id, lifetime: .seconds(60), timestamp: time)
        let stored = try await client.send(store)
        #expect(stored.reply.isEnough)
        #expect(stored.reply.swarmSize == 5)
        #expect(Set(stored.reply.members.map(\.node)) == Set(nodes.nodes.map(\.key)))
        #expect(stored.reply.successes.allSatisfy { !$0.wasThere })
        #expect(stored.reply.successes.first?.expiry.milliseconds == time.milliseconds + 60_000)
        #expect(nodes.storage.hashes == [store.hash])
        #expect(nodes.nodes.contains(stored.node))
        #expect(stored.attempts == 1)

        let kept = try await client.send(Storage.Retrieve(.messages, as: signer)).reply
        #expect(kept.messages.map(\.data) == [[1, 2, 3]])
        #expect(kept.messages.first?.hash == store.hash)
        #expect(kept.messages.first?.timestamp == time)
        #expect(kept.lastHash == store.hash)
        #expect(!kept.hasMore)

        let again = try await client.send(store).reply
        #expect(again.successes.allSatisfy { $0.wasThere })
        #expect(nodes.storage.hashes.count == 1)
      }
    }

    @Test func retrievingGoesOnBehindTheLast() async throws {
      try await onLoopback { _, client in
        for number in 0..<5 as Range<UInt8> {
          _ = try await client.send(Storage.Store([number], to: me.id, lifetime: .seconds(60)))
        }
        let first = try await client.send(Storage.Retrieve(.messages, as: signer, maxCount: 2)).reply
        #expect(first.messages.map(\.data) == [[0], [1]])
        #expect(first.hasMore)
        let rest = try await client.send(
          Storage.Retrieve(.messages, as: signer, after: first.lastHash, limit: .part(8))
        ).reply
        #expect(rest.messages.map(\.data) == [[2], [3], [4]])
        let least = try await client.send(Storage.Retrieve(.messages, as: signer, limit: .bytes(1))).reply
        #expect(least.messages.count == 1 && least.hasMore)
      }
    }

    @Test func onlyTheOwnerRetrieves() async throws {
      try await onLoopback { nodes, client in
        let error = await failure { try await client.send(Storage.Retrieve(.messages, of: me.id)) }
        #expect(error?.code == .requestFailed)
        #expect(error?.refusal?.code == 401)
        #expect(error?.kind == .unauthorized)
        #expect(error?.message.contains("401") == true)
        #expect(nodes.storage.count(of: "retrieve") == 1)
      }
    }

    @Test func onlyTheOwnerStoresInPrivateNamespaces() async throws {
      try await onLoopback { nodes, client in
        let data: [UInt8] = [9, 9]
        _ = try await client.send(Storage.Store(data, as: signer, in: .contacts, lifetime: .seconds(60)))
        #expect(nodes.storage.hashes.count == 1)
        let stranger = Storage.Store(data, to: me.id, in: .contacts, lifetime: .seconds(60))
        let error = await failure { try await client.send(stranger) }
        #expect(error?.refusal?.code == 401)
      }
    }

    @Test func messagesAreDeleted() async throws {
      try await onLoopback { nodes, client in
        var hashes: [String] = []
        for number in 0..<3 as Range<UInt8> {
          let store = Storage.Store([number], to: me.id, lifetime: .seconds(60))
          _ = try await client.send(store)
          hashes.append(store.hash)
        }
        let deleted = try await client.send(Storage.Delete([hashes[1]], as: signer)).reply
        #expect(deleted.isEnough && deleted.members.count == 5)
        #expect(deleted.successes == [[String]](repeating: [hashes[1]], count: 5))
        #expect(nodes.storage.hashes == [hashes[0], hashes[2]])
        let nothing = try await client.send(Storage.Delete([hashes[1]], as: signer)).reply
        #expect(nothing.isEnough && nothing.successes.allSatisfy { $0.isEmpty })
        let missed = try await client.send(Storage.Delete([hashes[1]], as: signer, mustFindSome: true)).reply
        #expect(!missed.isEnough)
      }
    }

    @Test func deletingAllTellsOfNamespaces() async throws {
      try await onLoopback { nodes, client in
        for (number, namespace) in [(1, StorageNamespace.contacts), (2, .profile), (3, .profile)] {
          _ = try await client.send(
            Storage.Store([UInt8(number)], as: signer, in: namespace, lifetime: .seconds(600)))
        }
        let all = try await client.send(Storage.DeleteAll(.all, as: signer)).reply
        #expect(Set(all.successes.first?.compactMap(\.namespace) ?? []) == [.contacts, .profile])
        #expect(nodes.storage.hashes.isEmpty)
      }
    }

    @Test func livesAreChanged() async throws {
      try await onLoopback { nodes, client in
        let stores = (0..<2 as Range<UInt8>).map { Storage.Store([$0], to: me.id, lifetime: .seconds(100)) }
        for store in stores { _ = try await client.send(store) }
        let hashes = stores.map(\.hash)
        let later = try MessageTime(milliseconds: client.time.milliseconds + 500_000)
        let extended = try await client.send(Storage.Expire([hashes[0]], at: later, .extend, as: signer))
          .reply
        #expect(extended.successes.first?.changed == [.init(hash: hashes[0], namespace: nil, expiry: later)])
        let kept = try await client.send(Storage.Expire([hashes[0]], at: later, .extend, as: signer)).reply
        #expect(kept.successes.first?.changed == [])
        #expect(kept.successes.first?.unchanged == [.init(hash: hashes[0], namespace: nil, expiry: later)])
        let soon = try MessageTime(milliseconds: client.time.milliseconds + 50_000)
        let each = try await client.send(
          Storage.Expire([(hashes[0], soon), (hashes[1], later)], as: signer)
        ).reply
        #expect(
          Set(each.successes.first?.changed ?? []) == [
            .init(hash: hashes[0], namespace: nil, expiry: soon),
            .init(hash: hashes[1], namespace: nil, expiry: later),
          ])
        let unknown = String(repeating: "A", count: 43)
        let expiries = try await client.send(Storage.Expiries(of: hashes + [unknown], as: signer)).reply
        #expect(expiries == [hashes[0]: soon, hashes[1]: later])
        #expect(nodes.storage.expiry(of: hashes[1]) == later.milliseconds)
      }
    }

    @Test func invalidRequestsAreNotSent() async throws {
      try await onLoopback { nodes, client in
        let large = [UInt8](repeating: 0, count: 76_801)
        let error = await failure {
          try await client.send(Storage.Store(large, to: me.id, lifetime: .seconds(60)))
        }
        #expect(error?.code == .storageParameter)
        #expect(error?.kind == .rejected)
        await expectFailure(.storageParameter) { _ = try await client.send(Storage.Delete([], as: signer)) }
        await expectFailure(.storageParameter) {
          _ = try await client.send(Storage.Delete(["no hash"], as: signer))
        }
        await expectFailure(.keySize) { _ = try await client.send(Storage.Info(), to: .node([1])) }
        await expectFailure(.argument) { _ = try await client.send(Storage.Info(), to: .swarm) }
        #expect(nodes.storage.count(of: "store") + nodes.storage.count(of: "delete") == 0)
      }
    }
  }
}
