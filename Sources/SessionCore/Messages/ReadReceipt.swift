internal import CSessionCore

/// Tells which messages were read.
public struct ReadReceipt: Hashable, Sendable {
  /// Of more in one receipt the first are taken.
  public static let maxMessages = 1000

  /// When the messages were sent.
  public let messages: [MessageTime]

  public init(of messages: [MessageTime]) throws(SessionError) {
    try MessageRule.receiptEmpty.require(!messages.isEmpty)
    try MessageRule.receiptLength.require(messages.count <= Self.maxMessages)
    self.messages = messages
  }
}

extension ReadReceipt {
  init(_ fields: Sc__ReceiptMessage) throws(SessionError) {
    try MessageRule.receiptType.require(fields.type == SC__RECEIPT_MESSAGE__TYPE__READ)
    var messages: [MessageTime] = []
    for time in UnsafeBufferPointer(start: fields.timestamp, count: fields.n_timestamp)
      .prefix(Self.maxMessages)
    {
      messages.append(try MessageTime(milliseconds: time))
    }
    try self.init(of: messages)
  }

  func write(to arena: ContentArena) -> UnsafeMutablePointer<Sc__ReceiptMessage> {
    let fields = arena.make(sc__receipt_message__init)
    fields.pointee.type = SC__RECEIPT_MESSAGE__TYPE__READ
    fields.pointee.n_timestamp = messages.count
    fields.pointee.timestamp = arena.list(messages.map(\.milliseconds))
    return fields
  }
}
