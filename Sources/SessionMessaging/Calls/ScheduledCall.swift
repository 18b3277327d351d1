import SessionCore

/// A call about messages that are sent later.
package enum ScheduledCall: Codable, Hashable, Sendable {
  case schedule(OutgoingText, files: [OutgoingFile], to: Conversation.ID, at: SendTime, key: SendKey?)
  case cancel(ScheduledMessage.ID)
  case move(ScheduledMessage.ID, to: SendTime)
  case sendNow(ScheduledMessage.ID)
}

extension ScheduledCall {
  /// Scheduling again adds another message, unless it has a key. Cancelling again finds none, and what was sent cannot be
  /// sent again.
  var isRepeatable: Bool {
    switch self {
    case .schedule(_, _, _, _, nil), .cancel, .sendNow: false
    case .schedule, .move: true
    }
  }
}

extension Messenger {
  nonisolated func carryOut(_ call: ScheduledCall) async throws -> MessengerReply {
    switch call {
    case .schedule(let text, let files, let conversation, let time, let key):
      let kept = try await outbox.schedule(text, files, to: conversation, at: time, key: key)
      return .scheduled(kept.id, isRepeated: kept.isRepeated)
    case .cancel(let id): try await outbox.cancelScheduled(id.record)
    case .move(let id, let time): try await outbox.moveScheduled(id.record, to: time)
    case .sendNow(let id): try await outbox.sendScheduledNow(id.record)
    }
    return .done
  }
}
