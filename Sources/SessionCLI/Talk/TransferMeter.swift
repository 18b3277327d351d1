import SessionMessaging

/// The progress of a message's files, as a line of a terminal.
struct TransferMeter: Sendable {
  private let label: String
  private let sizes: [AttachmentView.ID: Int64]
  private var shares: [AttachmentView.ID: Double] = [:]
  private let began = ContinuousClock.now

  init(_ label: String, of files: [AttachmentView]) {
    self.label = label
    sizes = Dictionary(files.map { ($0.id, max($0.size, 1)) }, uniquingKeysWith: { first, _ in first })
  }

  var isEmpty: Bool { sizes.isEmpty }

  /// Takes progress of a file; false for a file that is not shown here.
  mutating func take(_ transfer: FileTransfer) -> Bool {
    guard sizes[transfer.attachment] != nil else { return false }
    shares[transfer.attachment] = transfer.progress
    return true
  }

  func line(width: Int) -> String {
    let total = sizes.values.reduce(0, +)
    let done = sizes.reduce(0.0) { $0 + Double($1.value) * (shares[$1.key] ?? 0) }
    return ProgressBar.line(
      label, done: Int64(done), total: total, elapsed: began.duration(to: .now), width: width)
  }
}
