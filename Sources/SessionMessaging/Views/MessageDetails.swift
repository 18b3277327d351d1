public import SessionCore
import SessionStorage

/// What is known of a message besides what its view shows.
public struct MessageDetails: Hashable, Sendable {
  public let message: MessageView
  /// Milliseconds since 1970.
  public let receivedAt: Int64
  /// Its name in the swarm; nil before it is stored, and for notes.
  public let serverHash: String?
  /// Its number in its room.
  public let serverNumber: Int64?
  /// The verdict on the sender's Session Pro proof.
  public let proStatus: ProStatus
  /// The numbers of the jobs that are about it.
  public let jobs: [Int64]
}

private enum DetailsStatements {
  static let jobs: SQL = "SELECT id FROM job WHERE interactionID = ? AND state IN (0, 1, 3) ORDER BY id"
}

extension Messenger {
  /// Returns what is known of a message; nil if there is none, or it has expired.
  public nonisolated func details(of id: MessageView.ID) async throws -> MessageDetails? {
    guard let message = try await message(id) else { return nil }
    return try await context.database.read { transaction in
      guard let record = try transaction.interaction(id.record) else { return nil }
      return MessageDetails(
        message: message, receivedAt: record.receivedAt, serverHash: record.serverHash,
        serverNumber: record.serverID,
        proStatus: ProStatus(rawValue: UInt32(clamping: record.proStatus)) ?? .none,
        jobs: try transaction.values(DetailsStatements.jobs, id.record))
    }
  }
}
