internal import CSessionCore

/// Tells that media of a message was saved.
public struct DataExtraction: Hashable, Sendable {
  /// When the message was sent; nil when the other side did not tell.
  public let targetSentAt: MessageTime?

  public init(of targetSentAt: MessageTime) {
    self.targetSentAt = targetSentAt
  }
}

extension DataExtraction {
  /// 0 when the other side did not tell.
  init(savedAt milliseconds: UInt64) throws(SessionError) {
    targetSentAt = milliseconds > 0 ? try MessageTime(milliseconds: milliseconds) : nil
  }
}
