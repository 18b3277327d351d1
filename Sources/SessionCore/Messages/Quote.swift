internal import CSessionCore

/// A reference to the message that another one answers. Its text is that of the original, wherever that is.
public struct Quote: Hashable, Sendable {
  /// When the quoted message was sent.
  public let sentAt: MessageTime
  public let author: SessionID

  public init(sentAt: MessageTime, author: SessionID) {
    self.sentAt = sentAt
    self.author = author
  }
}

extension Quote {
  /// Nil for one that can refer to nothing: it costs the message no more than the quote.
  init?(_ fields: Sc__Quote) throws(SessionError) {
    guard fields.id != 0, let author = SessionID(try fields.author.requiredText()) else { return nil }
    self.init(sentAt: try MessageTime(milliseconds: fields.id), author: author)
  }

  func write(to arena: ContentArena) -> UnsafeMutablePointer<Sc__Quote> {
    let fields = arena.make(sc__quote__init)
    fields.pointee.id = sentAt.milliseconds
    fields.pointee.author = arena.text(author.description)
    return fields
  }
}
