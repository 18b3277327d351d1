internal import CSessionCore

/// Reports that media of a message was saved.
public struct DataExtraction: Hashable, Sendable {
  /// When the message was sent; nil if the other side did not say.
  public let targetSentAt: MessageTime?

  public init(of targetSentAt: MessageTime) {
    self.targetSentAt = targetSentAt
  }

  /// `milliseconds` is 0 if the other side did not say.
  init(savedAt milliseconds: UInt64) throws(SessionError) {
    targetSentAt = milliseconds > 0 ? try MessageTime(milliseconds: milliseconds) : nil
  }
}
