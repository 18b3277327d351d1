import SessionStorage

extension Messenger {
  /// The number of events in one page.
  public static let maxEvents = 1000

  /// Returns the events after a cursor, in order. A ``MessengerEvent/Kind/gap`` comes first if some are no longer
  /// stored.
  public nonisolated func events(
    after cursor: MessengerEvent.Cursor = .start, limit: Int = 100
  ) async throws -> [MessengerEvent] {
    let limit = min(max(limit, 0), Self.maxEvents)
    let now = try context.time()
    return try await context.database.read { transaction in
      try transaction.events(behind: cursor, limit: limit, at: now)
    }
  }

  /// All events that a reader has not acknowledged, and then each new one. A slow reader does not delay others, and
  /// receives a ``MessengerEvent/Kind/gap`` if it was away for too long. The sequence ends when the messenger
  /// stops.
  public nonisolated func events(for reader: String) -> MessengerEvents {
    MessengerEvents(self, .reader(reader))
  }

  /// All events after a cursor, without a named reader.
  public nonisolated func events(from cursor: MessengerEvent.Cursor) -> MessengerEvents {
    MessengerEvents(self, .cursor(cursor))
  }

  /// Returns the cursor of the newest event that is no longer stored; 0 for none.
  package nonisolated func eventFloor() async throws -> MessengerEvent.Cursor {
    try await context.database.read { transaction in
      MessengerEvent.Cursor(rawValue: try transaction.eventFloor().rawValue)
    }
  }

  /// Returns the cursor of the newest event, which may have been deleted.
  public nonisolated func lastEvent() async throws -> MessengerEvent.Cursor {
    try await context.database.read { transaction in
      MessengerEvent.Cursor(rawValue: try transaction.newestEvent().rawValue)
    }
  }
}

/// The events of a messenger, in order.
public struct MessengerEvents: AsyncSequence, Sendable {
  enum Start: Sendable {
    /// After the last event that a reader acknowledged.
    case reader(String)
    case cursor(MessengerEvent.Cursor)
  }

  private let messenger: Messenger
  private let start: Start

  init(_ messenger: Messenger, _ start: Start) {
    self.messenger = messenger
    self.start = start
  }

  public func makeAsyncIterator() -> Iterator {
    Iterator(messenger: messenger, start: start)
  }

  public struct Iterator: AsyncIteratorProtocol {
    fileprivate let messenger: Messenger
    fileprivate let start: Start
    private let changes: Observation
    private var cursor: MessengerEvent.Cursor?
    private var waiting: ArraySlice<MessengerEvent> = []

    fileprivate init(messenger: Messenger, start: Start) {
      self.messenger = messenger
      self.start = start
      // Observe before the first read, so that no change is missed.
      changes = messenger.context.database.observations.observe(.events)
    }

    public mutating func next() async throws -> MessengerEvent? {
      while waiting.isEmpty {
        do {
          let from = try await place()
          cursor = from
          waiting = try await messenger.events(after: from)[...]
        } catch let error as StorageError where error.code == .closed {
          return nil
        }
        if waiting.isEmpty, await changes.next() == nil { return nil }
      }
      let event = waiting.removeFirst()
      cursor = event.id
      return event
    }

    /// The cursor to start from.
    private func place() async throws -> MessengerEvent.Cursor {
      if let cursor { return cursor }
      switch start {
      case .reader(let reader): return try await messenger.cursor(of: reader)
      case .cursor(let cursor): return cursor
      }
    }
  }
}
