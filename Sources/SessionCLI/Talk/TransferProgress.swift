import SessionMessaging
import Synchronization

/// The progress of a message's files, drawn on the terminal of standard error, if there is one.
final class TransferProgress: Sendable {
  private let meter: Mutex<TransferMeter>
  private let io: CommandIO

  init(_ label: String, of files: [AttachmentView], _ io: CommandIO) {
    meter = Mutex(TransferMeter(label, of: files))
    self.io = io
  }

  /// Runs an operation and draws its progress.
  func following<R: Sendable>(
    _ transfers: AsyncStream<FileTransfer>, _ work: () async throws -> R
  ) async throws -> R {
    guard !meter.withLock(\.isEmpty) else { return try await work() }
    return try await io.drawing(transfers, line) { _ in try await work() }
  }

  /// Nil for what is not of these files.
  @Sendable private func line(_ transfer: FileTransfer?, width: Int) -> String? {
    meter.withLock { meter in
      if let transfer, !meter.take(transfer) { return nil }
      return meter.line(width: width)
    }
  }
}
