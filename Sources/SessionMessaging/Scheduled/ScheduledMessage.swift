public import SessionCore
import SessionStorage

/// A message that is sent later.
public struct ScheduledMessage: Hashable, Sendable, Identifiable {
  public struct ID: RawRepresentable, Hashable, Sendable, Codable {
    public let rawValue: Int64
    public init(rawValue: Int64) { self.rawValue = rawValue }
  }

  public enum State: String, Sendable, CaseIterable {
    case waiting
    /// It became a message: ``ScheduledMessage/message``.
    case sent
    /// Nothing ran when it was due, and later was too late.
    case missed
    case failed
  }

  public let id: ID
  public let conversation: Conversation.ID
  public let body: String
  public let time: SendTime
  public let state: State
  /// Why it was missed or failed.
  public let failure: String?
  /// The author and the time, in milliseconds since 1970, of the message that it replies to.
  public let answered: Answered?
  /// Its files, in order. A message that was sent has them itself.
  public let attachments: [AttachmentView]
  /// The message that it became.
  public let message: MessageView.ID?
  /// When it was scheduled, in milliseconds since 1970.
  public let createdAt: Int64

  public struct Answered: Hashable, Sendable {
    public let author: SessionID
    public let sentAt: Int64
  }

  /// Nil for a row that this program cannot read.
  init?(_ record: ScheduledRecord, _ attachments: [AttachmentRecord]) {
    guard let conversation = Conversation.ID(record.address) else { return nil }
    id = ID(record.id)
    self.conversation = conversation
    body = record.body
    time = SendTime(record.at, zone: record.zone, late: record.late)
    state = State(record.state)
    failure = record.failure
    answered = record.quoteAuthor.flatMap { author in
      SessionID(author).map { Answered(author: $0, sentAt: record.quoteSentAt ?? 0) }
    }
    self.attachments = attachments.map { AttachmentView($0) }
    message = record.interactionID.map { MessageView.ID($0) }
    createdAt = record.createdAt
  }
}

extension ScheduledMessage.ID {
  init(_ id: ScheduledRecord.ID) { self.init(rawValue: id.rawValue) }

  var record: ScheduledRecord.ID { ScheduledRecord.ID(rawValue: rawValue) }
}

extension ScheduledMessage.State {
  fileprivate init(_ state: ScheduledRecord.State) {
    self =
      switch state {
      case .waiting: .waiting
      case .sent: .sent
      case .missed: .missed
      case .failed: .failed
      }
  }
}

/// A message that was scheduled, perhaps by an earlier call with the same key.
public struct KeyedSchedule: Hashable, Sendable {
  public let id: ScheduledMessage.ID
  /// True if an earlier call with the same key scheduled it.
  public let isRepeated: Bool
}
