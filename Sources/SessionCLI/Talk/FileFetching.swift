import SessionBase
import SessionMessaging

/// Downloads files for a command that saves them.
struct FileFetching: Sendable {
  let io: CommandIO
  let timeout: Duration

  /// Returns when all of them are here.
  func fetch(_ files: [NumberedAttachment], _ messenger: Messenger) async throws {
    if let lost = files.first(where: { $0.file.state == .unusable }) { throw unusable(lost) }
    let before = try await messenger.lastEvent()
    let transfers = messenger.transfers()
    for file in files { try await messenger.download(file.file.id) }
    let progress = TransferProgress("fetching", of: files.map(\.file), io)
    let ended: Void? = try await progress.following(transfers) {
      try await withinTime(timeout) { try await wait(for: files, since: before, messenger) }
    }
    guard ended != nil else {
      throw CommandFailure(
        status: .temporary, message: "the files were not downloaded in time",
        advice: "Run the command again; it continues where it stopped. --timeout waits longer.")
    }
  }

  private func wait(
    for files: [NumberedAttachment], since before: MessengerEvent.Cursor, _ messenger: Messenger
  ) async throws {
    var waiting = Dictionary(files.map { ($0.file.id, $0) }, uniquingKeysWith: { first, _ in first })
    for try await event in messenger.events(from: before) {
      guard let id = event.attachment, let file = waiting[id] else { continue }
      switch try await messenger.attachment(id)?.state {
      case .ready: waiting[id] = nil
      case .failed:
        throw CommandFailure(
          status: .unavailable,
          message: "file \(file.number) could not be downloaded" + (event.reason.map { ": \($0)" } ?? ""),
          advice: "Run the command again later.")
      case .unusable, nil: throw unusable(file, event.reason)
      case .remote, .downloading, .uploading: break
      }
      if waiting.isEmpty { return }
    }
    throw CancellationError()
  }

  private func unusable(_ file: NumberedAttachment, _ reason: String? = nil) -> CommandFailure {
    .data(
      "file \(file.number) is not available" + (reason.map { ": \($0)" } ?? ""),
      advice: "It expired, or does not match the message: ask the sender to send it again.")
  }
}
