import SessionCore
import SessionStorage

extension Messenger {
  /// Sends a message later. Its files are copied now; it takes its place in the conversation, and its conditions are
  /// looked at, when it is sent. That needs a program that runs then: one that starts later sends it if it is not later
  /// than ``SendTime/late``, else it is missed.
  ///
  /// A second call with the same key and content schedules nothing, whatever its time. At most 200 messages wait. Throws
  /// `notAllowed` for a time that is less than ten seconds or more than a year ahead.
  @discardableResult
  public nonisolated func schedule(
    _ text: OutgoingText, attachments: [OutgoingFile] = [], to conversation: Conversation.ID,
    at time: SendTime, key: SendKey? = nil
  ) async throws -> KeyedSchedule {
    let reply = try await perform(
      .scheduled(.schedule(text, files: attachments, to: conversation, at: time, key: key)))
    guard case .scheduled(let id, let isRepeated) = reply else { throw MessengerError.unexpectedReply }
    return KeyedSchedule(id: id, isRepeated: isRepeated)
  }

  /// Returns the scheduled messages in the order of their times. Those that do not wait any more are kept for thirty days.
  public nonisolated func scheduledMessages() async throws -> [ScheduledMessage] {
    try await context.database.read { transaction in
      try transaction.allScheduled().compactMap { record in
        ScheduledMessage(record, try transaction.attachments(of: record.id))
      }
    }
  }

  /// Returns a scheduled message; nil if there is none.
  public nonisolated func scheduledMessage(_ id: ScheduledMessage.ID) async throws -> ScheduledMessage? {
    try await context.database.read { transaction in
      try transaction.scheduled(id.record).flatMap { record in
        ScheduledMessage(record, try transaction.attachments(of: record.id))
      }
    }
  }

  /// Deletes a scheduled message. Throws `notAllowed` if it was sent.
  public nonisolated func cancelScheduled(_ id: ScheduledMessage.ID) async throws {
    try await perform(.scheduled(.cancel(id)))
  }

  /// Has a scheduled message sent at another time; also one that was missed or failed.
  public nonisolated func moveScheduled(_ id: ScheduledMessage.ID, to time: SendTime) async throws {
    try await perform(.scheduled(.move(id, to: time)))
  }

  /// Sends a scheduled message at once; also one that was missed or failed.
  public nonisolated func sendScheduledNow(_ id: ScheduledMessage.ID) async throws {
    try await perform(.scheduled(.sendNow(id)))
  }
}
