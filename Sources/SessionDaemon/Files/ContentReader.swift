import SessionBase
import SessionCore
import SessionMessaging
import SessionStorage
import Synchronization

/// Reads encrypted content in parts. It can be decrypted from its beginning only, so the reader keeps the place behind the
/// last part: one part after the other costs as much as the whole.
actor ContentReader<Content: AsyncSequence & Sendable> where Content.Element == [UInt8] {
  private let content: Content
  private var iterator: Content.AsyncIterator?
  private var pieces: [UInt8] = []
  /// The place of the first byte of the pieces.
  private var place = 0
  private var isOver = false
  private let turns = Turns()

  init(_ content: Content) { self.content = content }

  /// The bytes from a place on, fewer at the end. The last part is there only if nothing of the content is missing.
  func part(at start: Int, length: Int) async throws -> (bytes: [UInt8], isEnd: Bool) {
    guard let part = try await turns.take({ @Sendable in try await self.read(at: start, length) }) else {
      throw CancellationError()
    }
    return part
  }

  private func read(at start: Int, _ length: Int) async throws -> (bytes: [UInt8], isEnd: Bool) {
    if start < place || iterator == nil {
      (iterator, pieces, place, isOver) = (content.makeAsyncIterator(), [], 0, false)
    }
    var part: [UInt8] = []
    while true {
      let skipped = min(max(start - place, 0), pieces.count)
      let taken = place + skipped < start ? 0 : min(length - part.count, pieces.count - skipped)
      part += pieces[skipped..<(skipped + taken)]
      pieces.removeFirst(skipped + taken)
      place += skipped + taken
      // What follows a full part tells whether it is the last one.
      guard pieces.isEmpty, !isOver else { break }
      pieces = try await next() ?? []
      isOver = pieces.isEmpty
    }
    return (part, isOver)
  }

  private func next() async throws -> [UInt8]? {
    var current = iterator
    // After a failure the content is read from its beginning.
    iterator = nil
    let piece = try await current?.next(isolation: self)
    iterator = current
    return piece
  }
}

/// The files that a client reads in parts.
final class ContentReaders: Sendable {
  /// The most files that are kept open for a client.
  private static let limit = 2

  typealias Reader = ContentReader<FileContent>

  private struct Entry: Sendable {
    let messenger: Messenger
    let file: AttachmentView.ID
    let reader: Reader
    /// Waits for the end of the messenger.
    let watch: Task<Void, Never>

    func isOf(_ file: AttachmentView.ID, _ messenger: Messenger) -> Bool {
      self.file == file && self.messenger === messenger
    }
  }

  private let open = Mutex<[Entry]>([])

  deinit { for entry in open.withLock({ $0 }) { entry.watch.cancel() } }

  func part(
    of file: AttachmentView.ID, at start: Int, length: Int, _ messenger: Messenger
  ) async throws -> (bytes: [UInt8], isEnd: Bool) {
    let known = open.withLock { open in open.first { $0.isOf(file, messenger) }?.reader }
    let reader: Reader
    if let known { reader = known } else { reader = Reader(try await messenger.content(of: file)) }
    let part = try await reader.part(at: start, length: length)
    let dropped = open.withLock { open -> [Entry] in
      var dropped = open.filter { $0.isOf(file, messenger) }
      open.removeAll { $0.isOf(file, messenger) }
      guard !part.isEnd else { return dropped }
      open.append(Entry(messenger: messenger, file: file, reader: reader, watch: watch(messenger)))
      if open.count > Self.limit { dropped.append(open.removeFirst()) }
      return dropped
    }
    for entry in dropped { entry.watch.cancel() }
    return part
  }

  /// Forgets the files of an account when that is closed: what was read of them is for those who may open it.
  private func watch(_ messenger: Messenger) -> Task<Void, Never> {
    let announcements = messenger.eventAnnouncements()
    return Task { [weak self] in
      for await _ in announcements {}
      if !Task.isCancelled { self?.forget(messenger) }
    }
  }

  private func forget(_ messenger: Messenger) {
    open.withLock { open in open.removeAll { $0.messenger === messenger } }
  }
}
