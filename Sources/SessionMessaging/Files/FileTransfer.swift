import SessionStorage
import Synchronization

/// The progress of a file transfer.
public struct FileTransfer: Hashable, Sendable, Codable {
  public enum Direction: Hashable, Sendable, Codable {
    case upload
    case download
  }

  public let attachment: AttachmentView.ID
  public let direction: Direction
  /// From 0 to 1, including encryption or decryption; the transfer itself is one step.
  public let progress: Double
}

/// Publishes the progress of file transfers; none of it is stored.
final class TransferBoard: Sendable {
  /// The minimum interval between progress reports of a file, in milliseconds.
  static let pause: Int64 = 250
  private static let limit = 256

  private let listeners = Listeners<FileTransfer>(limit: limit)
  private let toldAt = Mutex<[AttachmentView.ID: Int64]>([:])

  func stream() -> AsyncStream<FileTransfer> { listeners.stream() }

  func tell(_ transfer: FileTransfer, at now: Int64) {
    let isDue = toldAt.withLock { toldAt in
      let isEnd = transfer.progress >= 1
      if !isEnd, let told = toldAt[transfer.attachment], told <= now, now < told + Self.pause { return false }
      // Forget transfers that ended without a final report.
      if toldAt.count > Self.limit { toldAt = [:] }
      toldAt[transfer.attachment] = isEnd ? nil : now
      return true
    }
    if isDue { listeners.tell(transfer) }
  }

  /// Passes on the report of another program, which has decided how often it reports.
  func pass(_ transfer: FileTransfer) { listeners.tell(transfer) }

  func finish() { listeners.finish() }
}
