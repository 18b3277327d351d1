import SessionCore
import SessionStorage

/// The unsent draft of a conversation.
public struct Draft: Hashable, Sendable {
  public let conversation: Conversation.ID
  public let body: String
  /// The message that it replies to; nil if it replies to none, or that one is gone.
  public let answering: MessageView.ID?
  /// Its files, in order. They are on this device alone.
  public let attachments: [AttachmentView]
  /// When it was changed last, in milliseconds since 1970.
  public let updatedAt: Int64

  /// What sends it: the text, which ends the draft, and its files.
  public var message: (text: OutgoingText, files: [OutgoingFile]) {
    var text = OutgoingText(body, answering: answering)
    text.endsDraft = true
    let files = attachments.map { file in
      OutgoingFile(
        .attachment(file.id), name: file.name, contentType: file.contentType,
        isVoiceMessage: file.kind == .voiceMessage, caption: file.caption)
    }
    return (text, files)
  }
}

/// What a draft is to have.
public struct DraftContent: Hashable, Sendable, Codable {
  public var body: String
  /// The message that it replies to.
  public var answering: MessageView.ID?
  /// Files that are copied now.
  public var files: [OutgoingFile]

  public init(_ body: String, answering: MessageView.ID? = nil, files: [OutgoingFile] = []) {
    self.body = body
    self.answering = answering
    self.files = files
  }

  /// The longest text, in bytes.
  public static let maxBody = DraftRecord.maxBody
}

extension Reading where Self: ~Copyable {
  /// The draft of a conversation; nil if it has none.
  func draft(_ thread: ThreadRecord) throws -> Draft? {
    guard let record = try draft(of: thread.id), let conversation = Conversation.ID(thread.address) else {
      return nil
    }
    var answered: InteractionRecord?
    if let author = record.quoteAuthor, let sentAt = record.quoteSentAt {
      answered = try interaction(in: thread.id, by: author, sentAt: sentAt)
    }
    return Draft(
      conversation: conversation, body: record.body,
      answering: answered.flatMap { $0.isDeleted ? nil : MessageView.ID($0.id) },
      attachments: try draftAttachments(of: thread.id).map { AttachmentView($0) },
      updatedAt: record.updatedAt)
  }
}
