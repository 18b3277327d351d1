internal import CSessionCore

/// Reports which messages were read.
public struct ReadReceipt: Hashable, Sendable {
  /// If a receipt has more, only the first ones count.
  public static let maxMessages = Int(SC_MESSAGE_MAX_RECEIPTS)

  /// When the messages were sent.
  public let messages: [MessageTime]

  public init(of messages: [MessageTime]) throws(SessionError) {
    self.messages = messages
    try MessageContent.readReceipt(self).check()
  }
}

extension ReadReceipt {
  init(_ receipt: sc_receipt_body) throws(SessionError) {
    var messages: [MessageTime] = []
    for time in UnsafeBufferPointer(start: receipt.sent_ms, count: receipt.count) {
      messages.append(try MessageTime(milliseconds: time))
    }
    self.messages = messages
  }

  func core(in arena: CoreArena) -> sc_receipt_body {
    sc_receipt_body(sent_ms: arena.list(messages.map(\.milliseconds)), count: messages.count)
  }
}
