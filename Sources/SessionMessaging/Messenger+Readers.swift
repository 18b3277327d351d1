import SessionStorage

extension Messenger {
  /// The number of readers of an account.
  package static let maxReaders = 1000

  /// Returns the cursor of a reader: the last event that it acknowledged.
  public nonisolated func cursor(of reader: String) async throws -> MessengerEvent.Cursor {
    try await self.reader(reader)?.acknowledged ?? .start
  }

  /// Records that a reader has processed an event and all before it. Throws `cursor` if there is no such event.
  public nonisolated func acknowledge(_ cursor: MessengerEvent.Cursor, by reader: String) async throws {
    try await perform(.account(.acknowledge(cursor, reader: reader)))
  }

  /// Deletes a reader and its dead events; events are no longer stored for it.
  public nonisolated func forgetReader(_ reader: String) async throws {
    try await perform(.account(.forgetReader(reader)))
  }

  /// Has dead events of a reader delivered again: one of them, or all. Throws `cursor` if that one is not
  /// dead.
  public nonisolated func retryDeadEvents(
    _ cursor: MessengerEvent.Cursor? = nil, of reader: String
  ) async throws {
    try await perform(.account(.retryDeadEvents(cursor, reader: reader)))
  }

  /// All readers, by name.
  public nonisolated func readers() async throws -> [EventReaderView] {
    try await context.database.read { transaction in
      let dead = try transaction.deadEventCounts()
      return try transaction.eventReaders().map { try transaction.view($0, dead: dead[$0.name] ?? 0) }
    }
  }

  /// A reader; nil if there is none.
  public nonisolated func reader(_ name: String) async throws -> EventReaderView? {
    try await context.database.read { transaction in
      try transaction.eventReader(name).map {
        try transaction.view($0, dead: try transaction.deadEventCounts()[name] ?? 0)
      }
    }
  }

  /// The dead events of a reader, or of all, the oldest first.
  public nonisolated func deadEvents(of reader: String? = nil) async throws -> [DeadEventView] {
    try await context.database.read { transaction in
      try transaction.deadEvents(of: reader).compactMap(DeadEventView.init)
    }
  }
}

// What a program needs that delivers events to readers.
extension Messenger {
  /// Returns the cursor of a reader. One that is new begins at a place, or else behind the newest event, and is stored
  /// there. Throws `tooManyReaders` beyond ``maxReaders``.
  package nonisolated func registerReader(
    _ reader: String, at place: MessengerEvent.Cursor? = nil
  ) async throws -> MessengerEvent.Cursor {
    if let known = try await self.reader(reader) { return known.acknowledged }
    guard case .cursor(let cursor) = try await perform(.account(.registerReader(reader, at: place))) else {
      throw MessengerError.unexpectedReply
    }
    return cursor
  }

  /// Keeps how often an event was delivered: the first that a reader has not acknowledged, or a retried one. A power cut
  /// may undo it.
  package nonisolated func noteDelivery(
    of cursor: MessengerEvent.Cursor, isRetried: Bool, to reader: String, tries: Int
  ) async throws {
    try await perform(.account(.noteDelivery(cursor, isRetried: isRetried, reader: reader, tries: tries)))
  }

  /// Moves the first event that a reader has not acknowledged, or a retried one, to its dead events. False if it has too
  /// many of them.
  package nonisolated func bury(
    _ cursor: MessengerEvent.Cursor, of reader: String, tries: Int, reason: String?
  ) async throws -> Bool {
    let call = AccountCall.bury(cursor, reader: reader, tries: tries, reason: reason)
    guard case .success(let isBuried) = try await perform(.account(call)) else {
      throw MessengerError.unexpectedReply
    }
    return isBuried
  }

  /// The dead events of a reader that are to be delivered again.
  package nonisolated func retriedEvents(of reader: String) async throws -> [DeadEventView] {
    try await context.database.read { transaction in
      try transaction.retriedEvents(of: reader).compactMap(DeadEventView.init)
    }
  }

  /// How many events there are after one.
  package nonisolated func eventCount(after cursor: MessengerEvent.Cursor) async throws -> Int {
    try await context.database.read { transaction in
      try transaction.eventCount(after: EventRecord.ID(rawValue: cursor.rawValue))
    }
  }

  /// Does something for a program that waits for events; the account is polled as often as an active one meanwhile.
  package nonisolated func awaitingEvents<R>(_ work: () async throws -> R) async rethrows -> R {
    context.noteAwaiting(1)
    defer { context.noteAwaiting(-1) }
    return try await work()
  }

  /// Announces that there may be new events, until the messenger stops. Several announcements may be one.
  package nonisolated func eventAnnouncements() -> AsyncStream<Void> {
    let changes = context.database.observations.observe(.events)
    return AsyncStream { await changes.next().map { _ in } }
  }
}

extension Reading where Self: ~Copyable {
  fileprivate func view(_ reader: EventReaderRecord, dead: Int) throws -> EventReaderView {
    EventReaderView(reader, pending: try eventCount(after: reader.acknowledged), dead: dead)
  }
}
