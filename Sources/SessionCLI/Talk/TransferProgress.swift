import SessionMessaging
import Synchronization

/// How far the files of a message are, drawn on the terminal of standard error while they move; nothing where there is
/// none.
final class TransferProgress: Sendable {
  private let label: String
  private let io: CommandIO
  private let sizes: [AttachmentView.ID: Int64]
  private let shares = Mutex<[AttachmentView.ID: Double]>([:])
  private let began = ContinuousClock.now

  init(_ label: String, of files: [AttachmentView], _ io: CommandIO) {
    self.label = label
    self.io = io
    sizes = Dictionary(files.map { ($0.id, max($0.size, 1)) }, uniquingKeysWith: { first, _ in first })
  }

  /// Does something, and draws what is told meanwhile.
  func following<R: Sendable>(
    _ transfers: AsyncStream<FileTransfer>, _ work: () async throws -> R
  ) async throws -> R {
    guard !sizes.isEmpty, io.messageColumns() != nil else { return try await work() }
    draw()
    let drawing = Task { for await transfer in transfers { take(transfer) } }
    let result: Result<R, any Error>
    do { result = .success(try await work()) } catch { result = .failure(error) }
    drawing.cancel()
    await drawing.value
    io.draw("\r\u{1B}[K")
    return try result.get()
  }

  private func take(_ transfer: FileTransfer) {
    guard sizes[transfer.attachment] != nil else { return }
    shares.withLock { $0[transfer.attachment] = transfer.progress }
    draw()
  }

  private func draw() {
    guard let columns = io.messageColumns() else { return }
    let shares = shares.withLock { $0 }
    let total = sizes.values.reduce(0, +)
    let done = sizes.reduce(0.0) { $0 + Double($1.value) * (shares[$1.key] ?? 0) }
    // The last column stays empty: some terminals begin a new line behind it.
    let line = ProgressBar.line(
      label, done: Int64(done), total: total, elapsed: began.duration(to: .now), width: columns - 1)
    io.draw("\r\(line)\u{1B}[K")
  }
}
