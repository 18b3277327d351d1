import SessionBase
import SessionMessaging
import Synchronization

/// Events on their way to one client.
final class EventSubscription: Sendable {
  /// How events are acknowledged.
  enum Acknowledging: String, Sendable {
    /// By the client, when it has handled them.
    case explicit
    /// When they were written to the client.
    case auto
    case none
  }

  private struct State {
    /// Delivered and not acknowledged, in order.
    var open: [MessengerEvent.Cursor] = []
    /// The last event that was passed over behind all of those.
    var skipped: MessengerEvent.Cursor?
    var isOver = false
    var change = Latch()
  }

  let id: String
  let account: String
  let reader: EventReader?
  private let filter: EventFilter
  private let acknowledging: Acknowledging
  private let window: Int
  private let messenger: Messenger
  private let render: RPCMethod.EventRendering
  private let state = Mutex(State())

  init(
    id: String, account: String, _ reader: EventReader?, _ filter: EventFilter,
    _ acknowledging: Acknowledging,
    window: Int, _ messenger: Messenger, _ render: @escaping RPCMethod.EventRendering
  ) {
    self.id = id
    self.account = account
    self.reader = reader
    self.filter = filter
    self.acknowledging = acknowledging
    self.window = window
    self.messenger = messenger
    self.render = render
  }

  /// Ends the delivery.
  func end() {
    let change = state.withLock { state in
      state.isOver = true
      return state.change
    }
    change.open()
  }

  /// Delivers events from a place on, until it is ended, the client is gone or the account is closed.
  func deliver(from start: MessengerEvent.Cursor, to connection: RPCConnection) async {
    do {
      for try await event in messenger.events(from: start) {
        guard await waitForRoom() else { return }
        let message = try await messenger.message(of: event)
        guard filter.admits(event, message) else {
          try await skip(event.id)
          continue
        }
        if acknowledging == .explicit { state.withLock { $0.open.append(event.id) } }
        let text = try await render(event, message, messenger)
        let params =
          "{\"subscription\":\(JSONText.quoted(id)),\"account\":\(JSONText.quoted(account)),\"event\":\(text)}"
        try await connection.tell("event", params)
        if acknowledging == .auto, let reader { try await messenger.acknowledge(event.id, by: reader.name) }
      }
    } catch {
      // The client is gone, or the account is closed: the reader goes on behind its last acknowledgement.
    }
    let params: JSONValue = ["subscription": .string(id), "kind": "ended"]
    try? await connection.tell("subscription.ended", params.description)
  }

  /// Waits until the client may get another event; false at the end.
  private func waitForRoom() async -> Bool {
    while true {
      let (change, isOver, hasRoom) = state.withLock { ($0.change, $0.isOver, $0.open.count < window) }
      if isOver || Task.isCancelled { return false }
      if hasRoom { return true }
      await change.wait()
    }
  }

  /// Events that are not wanted are acknowledged with those before them.
  private func skip(_ cursor: MessengerEvent.Cursor) async throws {
    guard acknowledging != .none, let reader else { return }
    let isFirst = state.withLock { state in
      guard !state.open.isEmpty else { return true }
      state.skipped = cursor
      return false
    }
    if isFirst { try await messenger.acknowledge(cursor, by: reader.name) }
  }

  /// Takes note that everything up to an event was acknowledged. Returns the place up to which the rest was passed over.
  func acknowledged(_ cursor: MessengerEvent.Cursor) -> MessengerEvent.Cursor? {
    let (change, skipped) = state.withLock { state -> (Latch, MessengerEvent.Cursor?) in
      state.open.removeAll { $0 <= cursor }
      defer { state.change = Latch() }
      guard state.open.isEmpty, let skipped = state.skipped, skipped > cursor else {
        return (state.change, nil)
      }
      state.skipped = nil
      return (state.change, skipped)
    }
    change.open()
    return skipped
  }
}

extension Messenger {
  /// The message of an event, if it is still there.
  nonisolated func message(of event: MessengerEvent) async throws -> MessageView? {
    guard let id = event.message else { return nil }
    return try await message(id)
  }
}
