import SessionBase
import SessionMessaging

/// Downloads files for a command that saves them.
struct FileFetching: Sendable {
  let io: CommandIO
  let timeout: Duration

  /// A file that cannot be had.
  struct Miss: Sendable {
    enum Kind: Sendable {
      /// It expired, or does not match its message.
      case lost
      case failed
      /// The time was over.
      case late
    }

    let file: NumberedAttachment
    let kind: Kind
    var reason: String? = nil

    /// `message 12, file 1, beach.png: it expired, or does not match its message`
    var line: String {
      let why =
        switch kind {
        case .lost: reason ?? "it expired, or does not match its message"
        case .failed: reason ?? "it could not be downloaded"
        case .late: "it was not downloaded in time"
        }
      return
        "message \(file.message.rawValue), file \(file.number), \(file.shownName): \(DisplayText.line(why))"
    }

    fileprivate var failure: CommandFailure {
      let reason = reason.map { ": \($0)" } ?? ""
      return switch kind {
      case .lost:
        .data(
          "file \(file.number) is not available" + reason,
          advice: "It expired, or does not match the message: ask the sender to send it again.")
      case .failed:
        CommandFailure(
          status: .unavailable, message: "file \(file.number) could not be downloaded" + reason,
          advice: "Run the command again later.")
      case .late:
        CommandFailure(
          status: .temporary, message: "the files were not downloaded in time",
          advice: "Run the command again; it continues where it stopped. --timeout waits longer.")
      }
    }
  }

  /// Returns when all of them are here. Throws for the first one that cannot be had.
  func fetch(_ files: [NumberedAttachment], _ messenger: Messenger) async throws {
    if let miss = try await misses(of: files, messenger, stopsAtFirst: true).first { throw miss.failure }
  }

  /// Returns those that cannot be had, in their order, once all others are here or the time is over.
  func misses(
    of files: [NumberedAttachment], _ messenger: Messenger, stopsAtFirst: Bool = false
  ) async throws -> [Miss] {
    let lost = files.filter { $0.file.state == .unusable }
    guard !stopsAtFirst || lost.isEmpty else { return lost.map { Miss(file: $0, kind: .lost) } }
    // What there is no time for is not asked for: it would be downloaded after the command.
    guard timeout > .zero else {
      return files.filter { !$0.file.isHere }
        .map { Miss(file: $0, kind: $0.file.state == .unusable ? .lost : .late) }
    }
    let before = try await messenger.lastEvent()
    let transfers = messenger.transfers()
    for file in files where file.file.state != .unusable { try await messenger.download(file.file.id) }
    let progress = TransferProgress("fetching", of: files.map(\.file), io)
    let found = Kept<[AttachmentView.ID: Miss]>()
    let ended: Void? = try await progress.following(transfers) {
      try await withinTime(timeout) {
        try await wait(for: files, since: before, messenger, found, stopsAtFirst: stopsAtFirst)
      }
    }
    let misses = found.value ?? [:]
    var late: Set<AttachmentView.ID> = []
    if ended == nil {
      for file in files where misses[file.file.id] == nil {
        if try await messenger.attachment(file.file.id)?.state != .ready { late.insert(file.file.id) }
      }
    }
    return files.compactMap { file in
      misses[file.file.id] ?? (late.contains(file.file.id) ? Miss(file: file, kind: .late) : nil)
    }
  }

  private func wait(
    for files: [NumberedAttachment], since before: MessengerEvent.Cursor, _ messenger: Messenger,
    _ found: Kept<[AttachmentView.ID: Miss]>, stopsAtFirst: Bool
  ) async throws {
    var waiting = Dictionary(files.map { ($0.file.id, $0) }, uniquingKeysWith: { first, _ in first })
    var misses: [AttachmentView.ID: Miss] = [:]
    func look(at id: AttachmentView.ID, because reason: String?) async throws {
      guard let file = waiting[id] else { return }
      var miss: Miss?
      switch try await messenger.attachment(id)?.state {
      case .ready: break
      case .failed: miss = Miss(file: file, kind: .failed, reason: reason)
      case .unusable, nil: miss = Miss(file: file, kind: .lost, reason: reason)
      case .remote, .downloading, .uploading: return
      }
      waiting[id] = nil
      guard let miss else { return }
      misses[id] = miss
      found.value = misses
    }
    // What ran already may have ended before the first event.
    for file in files { try await look(at: file.file.id, because: nil) }
    guard !waiting.isEmpty, !stopsAtFirst || misses.isEmpty else { return }
    for try await event in messenger.events(from: before) {
      guard let id = event.attachment else { continue }
      try await look(at: id, because: event.reason)
      if waiting.isEmpty || (stopsAtFirst && !misses.isEmpty) { return }
    }
    throw CancellationError()
  }
}
