import SessionCore
import SessionJobs
import SessionNetworking

/// Sends read receipts to a person.
struct ReceiptSending: JobKind {
  static let kind = "receiptSending"
  static let queue = JobQueue("receipts", concurrency: 4)
  static let conditions: JobConditions = [.network, .accountActive]
  static let spacing = Duration.seconds(3)
  static let timesAreDelays = true

  let person: SessionID
  let times: [Int64]

  var uniqueKey: String? { person.address }

  func merged(with later: ReceiptSending) -> ReceiptSending {
    ReceiptSending(person: person, times: Set(times).union(later.times).sorted())
  }
}

extension Outbox {
  func makeReceiptSending() -> JobHandler {
    JobHandler(ReceiptSending.self) { [self] sending, job in
      for start in stride(from: 0, to: sending.times.count, by: ReadReceipt.maxMessages) {
        let part = sending.times[start..<min(start + ReadReceipt.maxMessages, sending.times.count)]
        let times = try part.map { try MessageTime(milliseconds: UInt64(clamping: $0)) }
        let message = try Message(.readReceipt(ReadReceipt(of: times)), sentAt: try time())
        let sealed = try await job.write { [self] transaction in
          try seal(message, for: sending.person, in: transaction)
        }
        // Not worth waiting for keys.
        guard let sealed else { continue }
        try await environment.swarms.perform([.store(sealed.item)], in: sending.person, as: nil).check()
      }
      return .done
    }
  }
}
