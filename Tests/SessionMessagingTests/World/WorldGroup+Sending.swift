import SessionCore
import SessionNetworking
import SessionStorage
import Testing

@testable import SessionMessaging

/// Alice, who made a group, and Bob, who is in it.
func withGroup(
  _ body: (World, WorldGroup, _ alice: Messenger, _ bob: Messenger) async throws -> Void
) async throws {
  try await withAliceAndBob(areFriends: false) { (world, alice, bob) async throws in
    let group = try WorldGroup()
    try await group.found(by: alice, with: [bob.id])
    try await world.settle()
    try await group.join(bob)
    try await world.settle()
    try await body(world, group, alice, bob)
  }
}

extension WorldGroup {
  /// Decides about messages to the group, and about nothing else.
  func decide(_ fate: MemorySwarms.Fate, in world: World) {
    decide(in: world) { fate }
  }

  func decide(in world: World, _ fate: @escaping @Sendable () -> MemorySwarms.Fate) {
    world.swarms.decide { [id] swarm, items in
      swarm == id && items.contains { $0.namespace == .groupMessages } ? fate() : .done
    }
  }

  /// The requests to store messages.
  func attempts(in world: World) -> [MemorySwarms.Attempt] {
    world.swarms.attempts(in: id, .groupMessages)
  }

  /// The messages that its swarm keeps.
  func kept(in world: World) -> [SwarmMessage] { world.swarms.kept(id, in: .groupMessages) }

  /// The texts that its swarm keeps, in the order in which they were stored.
  func texts(in world: World, by reader: Messenger) throws -> [String] {
    try kept(in: world).compactMap { message in
      guard case .visible(let visible) = try opened(message.data, by: reader).message.content else {
        return nil
      }
      return visible.body
    }
  }

  /// The texts of the group that a member sees, oldest first.
  func bodies(_ messenger: Messenger) async throws -> [String] {
    try await messenger.messages(in: conversation).reversed().map(\.body)
  }

  /// A message of the group, as somebody in it reads it.
  func opened(_ bytes: [UInt8], by messenger: Messenger) throws -> ReceivedMessage {
    try messenger.context.account.decode(
      bytes, from: .group(id, keys: try messenger.author.openingKeys(of: id)))
  }

  /// Removes somebody, as their devices learn it.
  func kick(_ member: Messenger) async throws {
    try await member.author.edit { [id] configs, _ in
      try configs.groups.update(id) { $0.markKicked() }
    } writing: { _, _, _ in
    }
  }
}

extension MemorySwarms.Fate {
  static let offline = Self.refused(NetworkFailure(.transient, "no path"))
}

extension Messenger {
  /// The texts of a conversation, oldest first.
  func texts(in conversation: Conversation.ID) async throws -> [String] {
    try await messages(in: conversation).reversed().filter { $0.kind == .message }.map(\.body)
  }

  /// The notes of a conversation, the first one first.
  func notes(in conversation: Conversation.ID) async throws -> [MessageView.Note] {
    try await messages(in: conversation).reversed().compactMap { message in
      guard case .note(let note) = message.kind else { return nil }
      return note
    }
  }

  /// The row of a message.
  func row(_ id: MessageView.ID) async throws -> InteractionRecord {
    try #require(try await context.database.read { transaction in try transaction.interaction(id.record) })
  }

  /// The job that delivers a message, and what it waits for.
  func delivery(of id: MessageView.ID) async throws -> (job: JobRecord, waits: [JobDependency])? {
    try await context.database.read { transaction in
      guard let job = try transaction.job(Delivery.kind, for: Delivery.key(.message, id.rawValue)) else {
        return nil
      }
      return (job, try transaction.waits(of: job.id).map(\.dependency))
    }
  }
}
