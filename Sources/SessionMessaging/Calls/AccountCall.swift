import SessionCore
import SessionNetworking
import SessionStorage

/// A call about the account as a whole.
package enum AccountCall: Codable, Hashable, Sendable {
  case setName(String)
  case setPicture(OutgoingFile.Content?)
  case setReadReceipts(Bool)
  case setTypingIndicators(Bool)
  case setCommunityRequests(Bool)
  case acknowledge(MessengerEvent.Cursor, reader: String)
  case forgetReader(String)
  case retryJob(Int64)
  case cancelJob(Int64)
  /// Polls, and replies when what was there is stored; false if the poll failed.
  case poll
  case pollCondition
  case waitUntilDelivered
}

extension Messenger {
  nonisolated func carryOut(_ call: AccountCall) async throws -> MessengerReply {
    switch call {
    case .setName(let name): try await author.editProfile { $0.name = name }
    case .setPicture(let picture):
      try await files.setPicture(try await Self.bytes(of: picture))
    case .setReadReceipts(let areUsed):
      try await context.write { transaction, _ in try transaction.set(.usesReadReceipts, to: areUsed) }
    case .setTypingIndicators(let areUsed):
      try await context.write { transaction, _ in try transaction.set(.usesTypingIndicators, to: areUsed) }
    case .setCommunityRequests(let areTaken):
      try await author.editProfile { $0.takesBlindedRequests = areTaken }
    case .acknowledge(let cursor, let reader):
      try await context.write { [context] transaction, _ in
        try transaction.requireKnown(cursor)
        try transaction.acknowledge(
          EventRecord.ID(rawValue: cursor.rawValue), by: reader, at: context.jobTime)
      }
    case .forgetReader(let reader):
      try await context.write { transaction, _ in try transaction.removeReader(reader) }
    case .retryJob(let id): try await retry(JobRecord.ID(rawValue: id))
    case .cancelJob(let id): try await cancel(JobRecord.ID(rawValue: id))
    case .poll:
      let isDone = await supervisor.pollNow(.account)
      await supervisor.pollAllNow()
      return .success(isDone)
    case .pollCondition:
      return .condition(await supervisor.condition(of: .account) ?? PollCondition())
    case .waitUntilDelivered: try await waitUntilDeliveredHere()
    }
    return .done
  }
}
