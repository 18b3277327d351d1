import SessionCore
import Testing

@testable import SessionMessaging

/// The configs and rows decide which feeds are polled.
@Suite struct WantedFeedsTests {
  /// A group in the configs, and whether it is polled.
  private struct Row: CustomTestStringConvertible {
    let testDescription: String
    let isWanted: Bool
    let change: @Sendable (inout Group, WorldGroup, _ own: SessionID) throws -> Void

    init(
      _ description: String, isWanted: Bool,
      _ change: @escaping @Sendable (inout Group, WorldGroup, _ own: SessionID) throws -> Void
    ) {
      (testDescription, self.isWanted, self.change) = (description, isWanted, change)
    }
  }

  private static let rows = [
    Row("a member", isWanted: true) { group, world, own in group.access = try world.key.grantAccess(to: own)
    },
    Row("an admin", isWanted: true) { group, world, _ in group.adminSeed = world.key.seed },
    Row("a hidden group", isWanted: true) { group, world, own in
      group.access = try world.key.grantAccess(to: own)
      group.membership.priority = .hidden
    },
    Row("invited", isWanted: false) { group, world, own in
      group.access = try world.key.grantAccess(to: own)
      group.membership.isInvited = true
    },
    Row("kicked", isWanted: false) { group, world, own in
      group.access = try world.key.grantAccess(to: own)
      group.markKicked()
    },
    Row("destroyed", isWanted: false) { group, world, own in
      group.access = try world.key.grantAccess(to: own)
      group.markDestroyed()
    },
    Row("without credentials", isWanted: false) { _, _, _ in },
    Row("with access to another group", isWanted: false) { group, _, own in
      group.access = try WorldGroup().key.grantAccess(to: own)
    },
    Row("with the access of somebody else", isWanted: false) { group, world, _ in
      group.access = try world.key.grantAccess(to: Account.generate().id)
    },
    Row("with the key of another group", isWanted: false) { group, _, _ in
      group.adminSeed = try WorldGroup().key.seed
    },
  ]

  @Test(arguments: rows) private func groupsArePolledAsTheTableSays(row: Row) async throws {
    let world = World()
    let alice = try await world.device(of: .generate())
    let group = try WorldGroup()
    try await alice.author.edit { configs, _ in
      try configs.groups.update(group.id) { entry in
        entry.name = "Trip"
        try? row.change(&entry, group, alice.id)
      }
    } writing: { _, _, _ in
    }
    let groups = try alice.author.configs.read { configs in try configs.groups.groups() }
    #expect(groups.map(\.id) == [group.id])
    let wanted = WantedFeeds(groups.map { ($0, 7) }, [], for: alice.context.account)
    #expect(wanted.contains(.account))
    #expect(wanted.activity[.group(group.id)] == (row.isWanted ? 7 : nil))
    await world.stop()
  }

  @Test func serversArePolledWhileOneOfTheirRoomsIs() throws {
    let rooms = [("one", true, 3), ("one", false, 9), ("one", true, 5), ("two", false, 1)].map {
      WantedFeeds.Room(server: $0, isPolled: $1, lastActivity: $2)
    }
    let wanted = WantedFeeds([], rooms, for: try .generate())
    #expect(wanted.activity == [.account: .max, .server("one"): 5])
    #expect(WantedFeeds([], [], for: try .generate()).activity == [.account: .max])
  }
}
