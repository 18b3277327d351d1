import SessionBase
import SessionMessaging
import SessionStorage
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
    /// The last event that was passed over and is not acknowledged.
    var skipped: MessengerEvent.Cursor?
    var skippedCount = 0
    /// Why the delivery ended.
    var end: String?
    var change = Latch()
  }

  /// So many skipped events are acknowledged together.
  private static let skippedTogether = 256

  let id: String
  let account: String
  let reader: EventReader?
  private let filter: EventFilter
  private let acknowledging: Acknowledging
  private let window: Int
  private let render: RPCMethod.EventRendering
  private let state = Mutex(State())
  private let ended = Latch()

  init(
    id: String, account: String, _ reader: EventReader?, _ filter: EventFilter,
    _ acknowledging: Acknowledging, window: Int, _ render: @escaping RPCMethod.EventRendering
  ) {
    self.id = id
    self.account = account
    self.reader = reader
    self.filter = filter
    self.acknowledging = acknowledging
    self.window = window
    self.render = render
  }

  /// Ends the delivery.
  func end(_ reason: String) {
    state.withLock { state in if state.end == nil { state.end = reason } }
    ended.open()
  }

  /// Delivers events from a place on, until it is ended or the client is gone. It pauses while the account is closed.
  func deliver(from start: MessengerEvent.Cursor, to connection: RPCConnection) async {
    await withTaskGroup { group in
      group.addTask { [self] in await deliverAll(from: start, to: connection) }
      group.addTask { [ended] in await ended.wait() }
      await group.next()
      group.cancelAll()
    }
    let params: JSONValue = [
      "subscription": .string(id), "kind": .string(state.withLock { $0.end } ?? "ended"),
    ]
    await Task { try? await connection.tell("subscription.ended", params.description) }.value
  }

  private func deliverAll(from start: MessengerEvent.Cursor, to connection: RPCConnection) async {
    var place = start
    do {
      while !Task.isCancelled {
        // Waits while the account is being opened, or closed for another program.
        let messenger = try await connection.accounts.messenger(named: account)
        do {
          for try await event in messenger.events(from: place) {
            guard await waitForRoom() else { return }
            try await deliver(event, of: messenger, to: connection)
            place = event.id
          }
        } catch let error as StorageError where error.code == .closed {
          // The account is closed for a while.
        }
      }
    } catch {
      // The client is gone, or the account is no longer served: the reader continues behind its last acknowledgement.
    }
  }

  private func deliver(
    _ event: MessengerEvent, of messenger: Messenger, to connection: RPCConnection
  ) async throws {
    let message = try await messenger.message(of: event)
    guard filter.admits(event, message) else { return try await skip(event.id, messenger) }
    let text = try await render(event, message, messenger)
    if acknowledging == .explicit { state.withLock { $0.open.append(event.id) } }
    let params =
      "{\"subscription\":\(JSONText.quoted(id)),\"account\":\(JSONText.quoted(account)),\"event\":\(text)}"
    // A line is written as a whole, also if the delivery ends meanwhile.
    try await Task { try await connection.tell("event", params) }.value
    if acknowledging == .auto, let reader { try await messenger.acknowledge(event.id, by: reader.name) }
  }

  /// Waits until the client may get another event; false at the end.
  private func waitForRoom() async -> Bool {
    while !Task.isCancelled {
      let (change, hasRoom) = state.withLock { ($0.change, $0.open.count < window) }
      if hasRoom { return true }
      await change.wait()
    }
    return false
  }

  /// Events that are not wanted are acknowledged with those before them, many together.
  private func skip(_ cursor: MessengerEvent.Cursor, _ messenger: Messenger) async throws {
    guard acknowledging != .none, let reader else { return }
    let isDue = state.withLock { state in
      state.skipped = cursor
      state.skippedCount += 1
      guard state.open.isEmpty, state.skippedCount >= Self.skippedTogether else { return false }
      (state.skipped, state.skippedCount) = (nil, 0)
      return true
    }
    if isDue { try await messenger.acknowledge(cursor, by: reader.name) }
  }

  /// Takes note that everything up to an event was acknowledged. Returns the place up to which the rest was passed over.
  func acknowledged(_ cursor: MessengerEvent.Cursor) -> MessengerEvent.Cursor? {
    let (change, skipped) = state.withLock { state -> (Latch, MessengerEvent.Cursor?) in
      state.open.removeAll { $0 <= cursor }
      defer { state.change = Latch() }
      guard state.open.isEmpty, let skipped = state.skipped, skipped > cursor else {
        return (state.change, nil)
      }
      (state.skipped, state.skippedCount) = (nil, 0)
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
