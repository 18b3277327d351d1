import SessionNetworking
import Testing

@testable import SessionCore

extension NetworkClientTests {
  /// A group's swarm: its admin, its members, and who no longer is one.
  @Suite(.serialized) struct GroupsOnNodesTests {
    private let admin: GroupAdminKey
    private let member: Account
    private let asMember: Storage.Signer

    init() throws {
      admin = try GroupAdminKey(seed: SecretBytes(copying: [UInt8](repeating: 11, count: 32)))
      member = try Example.second()
      asMember = .member(member, of: admin.group, access: try admin.grantAccess(to: member.id))
    }

    @Test func aMemberReadsAndWrites() async throws {
      try await onLoopback { nodes, client in
        let store = Storage.Store([1], as: asMember, in: .groupMessages, lifetime: .seconds(60))
        #expect(try await client.send(store).reply.isEnough)
        let kept = try await client.send(Storage.Retrieve(.groupMessages, as: .admin(admin))).reply
        #expect(kept.messages.map(\.data) == [[1]])
        let same = try await client.send(Storage.Retrieve(.groupMessages, as: asMember)).reply
        #expect(same.messages == kept.messages)
        #expect(nodes.storage.hashes == [store.hash])
      }
    }

    @Test func aMemberDeletesNothing() async throws {
      try await onLoopback { nodes, client in
        let store = Storage.Store([1], as: asMember, in: .groupMessages, lifetime: .seconds(60))
        _ = try await client.send(store)
        let error = await failure { try await client.send(Storage.Delete([store.hash], as: asMember)) }
        #expect(error?.refusal?.code == 401)
        #expect(nodes.storage.hashes.count == 1)
        #expect(try await client.send(Storage.Delete([store.hash], as: .admin(admin))).reply.isEnough)
        #expect(nodes.storage.hashes.isEmpty)
      }
    }

    @Test func removedMembersReadOnlyTheKickNotice() async throws {
      try await onLoopback { _, client in
        let token = try admin.accessToken(of: member.id)
        let revoked = try await client.send(Storage.Revoke([token], as: .admin(admin))).reply
        #expect(revoked.isEnough && revoked.members.count == 5)
        let error = await failure { try await client.send(Storage.Retrieve(.groupMessages, as: asMember)) }
        #expect(error?.kind == .unauthorized)
        _ = try await client.send(Storage.Retrieve(.groupRemovals, as: asMember))
        let back = try await client.send(Storage.Unrevoke([token], as: .admin(admin))).reply
        #expect(back.isEnough && back.successes == [1, 1, 1, 1, 1])
        _ = try await client.send(Storage.Retrieve(.groupMessages, as: asMember))
      }
    }

    @Test func aTokenHasItsLength() async throws {
      try await onLoopback { _, client in
        await expectFailure(.storageParameter) {
          _ = try await client.send(Storage.Revoke([[1, 2, 3]], as: .admin(admin)))
        }
      }
    }

    @Test func accessOfAnotherAccountIsRefused() async throws {
      try await onLoopback { _, client in
        let access = try admin.grantAccess(to: Example.first().id)
        let thief = Storage.Signer.member(member, of: admin.group, access: access)
        let error = await failure { try await client.send(Storage.Retrieve(.groupMessages, as: thief)) }
        #expect(error != nil)
      }
    }
  }
}
