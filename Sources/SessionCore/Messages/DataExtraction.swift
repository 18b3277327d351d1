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
  init(_ fields: Sc__DataExtractionNotification) throws(SessionError) {
    try MessageRule.extractionType.require(
      fields.type == SC__DATA_EXTRACTION_NOTIFICATION__TYPE__MEDIA_SAVED)
    targetSentAt = fields.has_timestamp != 0 ? try MessageTime(milliseconds: fields.timestamp) : nil
  }

  func write(to arena: ContentArena) -> UnsafeMutablePointer<Sc__DataExtractionNotification> {
    let fields = arena.make(sc__data_extraction_notification__init)
    fields.pointee.type = SC__DATA_EXTRACTION_NOTIFICATION__TYPE__MEDIA_SAVED
    fields.pointee.has_timestamp = targetSentAt == nil ? 0 : 1
    fields.pointee.timestamp = targetSentAt?.milliseconds ?? 0
    return fields
  }
}
