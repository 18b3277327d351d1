import SessionMessaging
import Synchronization

/// How far the files of a message are, drawn on the terminal of standard error while they move; nothing where there is
/// none.
final class TransferProgress: Sendable {
  private let meter: Mutex<TransferMeter>
  private let io: CommandIO

  init(_ label: String, of files: [AttachmentView], _ io: CommandIO) {
    meter = Mutex(TransferMeter(label, of: files))
    self.io = io
  }

  /// Does something, and draws what is told meanwhile.
  func following<R: Sendable>(
    _ transfers: AsyncStream<FileTransfer>, _ work: () async throws -> R
  ) async throws -> R {
    guard !meter.withLock(\.isEmpty), io.messageColumns() != nil else { return try await work() }
    draw()
    let drawing = Task {
      for await transfer in transfers where meter.withLock({ $0.take(transfer) }) { draw() }
    }
    let result: Result<R, any Error>
    do { result = .success(try await work()) } catch { result = .failure(error) }
    drawing.cancel()
    await drawing.value
    io.draw("\r\u{1B}[K")
    return try result.get()
  }

  private func draw() {
    guard let columns = io.messageColumns() else { return }
    // The last column stays empty: some terminals begin a new line behind it.
    io.draw("\r\(meter.withLock { $0.line(width: columns - 1) })\u{1B}[K")
  }
}
