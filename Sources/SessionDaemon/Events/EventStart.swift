import SessionBase
import SessionMessaging

/// Where the events of a reader begin.
struct EventStart: Sendable {
  /// The event behind which they begin.
  let cursor: MessengerEvent.Cursor
  let newest: MessengerEvent.Cursor
  /// The number of events after the cursor.
  let pending: Int
  /// What a known reader has missed.
  let gap: EventGap?

  /// A reader begins at the place that it asks for, or else behind its last acknowledgement. A new one is registered at
  /// that place. One without a name begins behind the newest event.
  ///
  /// Throws `gap` if the events after a number are no longer stored.
  init(of reader: EventReader?, _ from: JSONValue?, _ messenger: Messenger) async throws {
    let floor = try await messenger.eventFloor()
    newest = try await messenger.lastEvent()
    var start: MessengerEvent.Cursor
    var gap: EventGap?
    switch from {
    case nil:
      start = if let reader { try await reader.register(messenger) } else { newest }
      gap = EventGap(after: start, floor: floor, newest: newest)
      if let gap { start = gap.lost.upperBound }
    case "start": start = floor
    case "new": start = newest
    case .integer(let number) where number >= 0:
      start = MessengerEvent.Cursor(rawValue: number)
      if let gap = EventGap(after: start, floor: floor, newest: newest) { throw RPCError(gap) }
      start = max(start, floor)
      guard start <= newest else {
        throw RPCError.invalidParams("there is no event \(number): the newest is \(newest.rawValue)")
      }
    default: throw RPCError.invalidParams("\"from\" is the number of an event, \"start\" or \"new\"")
    }
    if from != nil, let reader { _ = try await reader.register(messenger, at: start) }
    (cursor, self.gap) = (start, gap)
    pending = try await messenger.eventCount(after: start)
  }

  func position(_ account: String) -> [JSONValue.Member] {
    let members: [JSONValue.Member] = [
      .init("account", .string(account)), .init("cursor", .integer(cursor.rawValue)),
      .init("newest", .integer(newest.rawValue)), .init("pending", .integer(Int64(pending))),
    ]
    return members + (gap.map { [.init("gap", .object($0.members))] } ?? [])
  }
}

extension EventGap {
  /// Nil if all events after a cursor are stored. The number 0 means the oldest of them.
  init?(after cursor: MessengerEvent.Cursor, floor: MessengerEvent.Cursor, newest: MessengerEvent.Cursor) {
    guard cursor != .start, cursor < floor else { return nil }
    lost = MessengerEvent.Cursor(rawValue: cursor.rawValue + 1)...floor
    self.newest = newest
  }
}

extension RPCError {
  fileprivate init(_ gap: EventGap) {
    self.init(
      79, "gap", "events up to \(gap.lost.upperBound.rawValue) are no longer kept",
      advice: "Read the conversations again, and begin at \"oldest\".")
    details = gap.members
  }
}
