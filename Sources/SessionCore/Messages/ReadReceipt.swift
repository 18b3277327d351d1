internal import CSessionCore

/// Reports which messages were read.
public struct ReadReceipt: Hashable, Sendable {
  /// If a receipt has more, only the first ones count.
  public static let maxMessages = Int(SC_MESSAGE_MAX_RECEIPTS)

  public let messages: [MessageTime]

  public init(of messages: [MessageTime]) throws(SessionError) {
    self.messages = messages
    try MessageContent.readReceipt(self).check()
  }

  init(_ receipt: sc_receipt_body) throws(SessionError) {
    messages = try UnsafeBufferPointer(start: receipt.sent_ms, count: receipt.count)
      .map { (time) throws(SessionError) in try MessageTime(milliseconds: time) }
  }

  func core(in arena: CoreArena) -> sc_receipt_body {
    sc_receipt_body(sent_ms: arena.list(messages.map(\.milliseconds)), count: messages.count)
  }
}
