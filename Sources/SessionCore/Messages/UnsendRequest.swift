internal import CSessionCore

/// Asks everybody to delete a message.
public struct UnsendRequest: Hashable, Sendable {
  /// When the message was sent.
  public let targetSentAt: MessageTime
  public let targetAuthor: SessionID

  public init(targetSentAt: MessageTime, targetAuthor: SessionID) {
    self.targetSentAt = targetSentAt
    self.targetAuthor = targetAuthor
  }
}

extension UnsendRequest {
  init(_ fields: Sc__UnsendRequest) throws(SessionError) {
    guard let author = SessionID(try fields.author.requiredText()) else { throw SessionError(.unsendAuthor) }
    self.init(targetSentAt: try MessageTime(milliseconds: fields.timestamp), targetAuthor: author)
  }

  func write(to arena: ContentArena) -> UnsafeMutablePointer<Sc__UnsendRequest> {
    let fields = arena.make(sc__unsend_request__init)
    fields.pointee.timestamp = targetSentAt.milliseconds
    fields.pointee.author = arena.text(targetAuthor.description)
    return fields
  }
}
