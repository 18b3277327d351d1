import SessionBase
import SessionMessaging
import SessionStorage
import Synchronization

/// The events of one account on their way to one reader.
final class EventDelivery: Sendable {
  private struct Open {
    let cursor: MessengerEvent.Cursor
    var tries: Int
    let isRetried: Bool
  }

  /// An event that the reader wants again later.
  private struct Refusal {
    let cursor: MessengerEvent.Cursor
    let reason: String?
    let due: ContinuousClock.Instant
  }

  private struct State {
    /// Delivered and not acknowledged, in order.
    var open: [Open] = []
    var refusal: Refusal?
    /// The last event that was passed over and is not acknowledged.
    var skipped: MessengerEvent.Cursor?
    var skippedCount = 0
    var change = Latch()
  }

  /// So many skipped events are acknowledged together.
  private static let skippedTogether = 256

  let account: String
  let options: SubscriptionOptions
  private let sink: any EventSink
  private let state = Mutex(State())

  init(of account: String, _ options: SubscriptionOptions, to sink: any EventSink) {
    self.account = account
    self.options = options
    self.sink = sink
  }

  // MARK: - Delivering

  /// Delivers events from a place on, until the task is cancelled. It pauses while the account is closed or locked. Throws
  /// if the account is no longer served, the sink takes no more, or there are too many dead events.
  func run(from start: MessengerEvent.Cursor, _ accounts: any ServedAccounts) async throws {
    var place = start
    while !Task.isCancelled {
      let messenger = try await accounts.messengerWhenOpen(account)
      do {
        try await messenger.awaitingEvents { try await deliver(behind: &place, of: messenger) }
      } catch let error as StorageError where error.code == .closed {
        // The account is closed for a while.
      }
    }
  }

  private func deliver(behind place: inout MessengerEvent.Cursor, of messenger: Messenger) async throws {
    let news = messenger.eventAnnouncements()
    try await withThrowingTaskGroup { group in
      group.addTask { [self] in
        for await _ in news { wake() }
        wake()
      }
      defer { group.cancelAll() }
      var known = try await knownHead(messenger)
      var waiting: ArraySlice<MessengerEvent> = []
      while !Task.isCancelled {
        // Taken before looking, so that no change is missed.
        let change = state.withLock { $0.change }
        if try await deliverRefused(messenger) { continue }
        guard hasRoom else {
          await wait(for: change)
          continue
        }
        if waiting.isEmpty {
          if try await deliverRetried(messenger) { continue }
          waiting = try await messenger.events(after: place)[...]
        }
        guard let event = waiting.popFirst() else {
          await wait(for: change)
          continue
        }
        try await deliver(event, &known, messenger)
        place = event.id
      }
    }
  }

  private typealias Head = (cursor: MessengerEvent.Cursor, tries: Int)

  /// The event that was delivered first of those not acknowledged, before this program or connection began.
  private func knownHead(_ messenger: Messenger) async throws -> Head? {
    guard options.acknowledging == .explicit, let reader = options.reader else { return nil }
    return try await messenger.reader(reader.name).map { ($0.head, $0.headTries) }
  }

  private func deliver(_ event: MessengerEvent, _ known: inout Head?, _ messenger: Messenger) async throws {
    if let lost = event.lost {
      let newest = try await messenger.lastEvent()
      return try await sink.signal(.gap(EventGap(lost: lost, newest: newest)), of: account)
    }
    let message = try await messenger.message(of: event)
    guard try await options.filter.admits(event, message, of: messenger) else {
      return try await skip(event.id, messenger)
    }
    var tries = 1
    if let head = known, head.cursor == event.id {
      guard options.maxTries == 0 || head.tries < options.maxTries else {
        known = nil
        return try await giveUp(
          Open(cursor: event.id, tries: head.tries, isRetried: false), reason: nil, messenger)
      }
      tries = head.tries + 1
    }
    known = nil
    try await deliver(event, message, Open(cursor: event.id, tries: tries, isRetried: false), messenger)
  }

  /// Counts a delivery, and makes it.
  private func deliver(
    _ event: MessengerEvent, _ message: MessageView?, _ delivery: Open, _ messenger: Messenger
  ) async throws {
    if options.acknowledging == .explicit {
      let isFirst = state.withLock { state in
        let index = state.open.firstIndex { $0.cursor >= delivery.cursor } ?? state.open.endIndex
        if state.open.indices.contains(index), state.open[index].cursor == delivery.cursor {
          state.open[index] = delivery
        } else {
          state.open.insert(delivery, at: index)
        }
        return index == 0
      }
      if isFirst { try await note(delivery, messenger) }
    }
    let tries = options.reader == nil ? nil : delivery.tries
    try await sink.deliver(
      DeliveredEvent(event: event, message: message, account: account, tries: tries), of: messenger)
    if options.acknowledging == .auto, let reader = options.reader {
      try await messenger.acknowledge(event.id, by: reader.name)
    }
  }

  private func note(_ delivery: Open, _ messenger: Messenger) async throws {
    guard let reader = options.reader else { return }
    try await messenger.noteDelivery(
      of: delivery.cursor, isRetried: delivery.isRetried, to: reader.name, tries: delivery.tries)
  }

  // MARK: - Waiting

  /// True if the reader may get another event.
  private var hasRoom: Bool { state.withLock { $0.open.count < options.window } }

  private func wake() {
    let change = state.withLock { state in
      defer { state.change = Latch() }
      return state.change
    }
    change.open()
  }

  /// Waits for a change, or until the refused event is due.
  private func wait(for change: Latch) async {
    guard let due = state.withLock({ $0.refusal?.due }) else { return await change.wait() }
    await within(max(.zero, due - .now)) { await change.wait() }
  }

  // MARK: - Acknowledging

  /// Events that are not wanted are acknowledged with those before them, many together.
  private func skip(_ cursor: MessengerEvent.Cursor, _ messenger: Messenger) async throws {
    guard options.acknowledging != .none, let reader = options.reader else { return }
    let isDue = state.withLock { state in
      state.skipped = cursor
      state.skippedCount += 1
      guard state.open.isEmpty, state.skippedCount >= Self.skippedTogether else { return false }
      (state.skipped, state.skippedCount) = (nil, 0)
      return true
    }
    if isDue { try await messenger.acknowledge(cursor, by: reader.name) }
  }

  /// Continues behind an event that was acknowledged, with all before it.
  func acknowledged(_ cursor: MessengerEvent.Cursor, _ messenger: Messenger) async throws {
    let (skipped, first) = state.withLock { state -> (MessengerEvent.Cursor?, Open?) in
      let before = state.open.first?.cursor
      state.open.removeAll { $0.cursor <= cursor }
      if let refusal = state.refusal, refusal.cursor <= cursor { state.refusal = nil }
      if let first = state.open.first { return (nil, first.cursor == before ? nil : first) }
      guard let skipped = state.skipped, skipped > cursor else { return (nil, nil) }
      (state.skipped, state.skippedCount) = (nil, 0)
      return (skipped, nil)
    }
    wake()
    if let first { try await note(first, messenger) }
    if let skipped, let reader = options.reader { try await messenger.acknowledge(skipped, by: reader.name) }
  }

  // MARK: - Events that cannot be handled

  /// Has the first event that is not acknowledged delivered again after a time. Throws if it is another one. A delivery
  /// that does not count is one that failed for no fault of the event.
  func refuse(
    _ cursor: MessengerEvent.Cursor, reason: String?, delay: Duration, isCounted: Bool = true
  ) throws(RPCError) {
    try state.withLock { (state) throws(RPCError) in
      guard let first = state.open.first else {
        throw .invalidParams("no event was delivered that is not acknowledged")
      }
      guard first.cursor == cursor else {
        throw .invalidParams(
          "the first event that is not acknowledged is \(first.cursor.rawValue): only that one can be refused"
        )
      }
      if !isCounted { state.open[0].tries -= 1 }
      state.refusal = Refusal(cursor: cursor, reason: reason, due: .now + delay)
    }
    wake()
  }

  /// Takes back that an event was delivered, because it could not be handled to the end.
  func withdraw(_ cursor: MessengerEvent.Cursor, _ messenger: Messenger) async throws {
    let first = state.withLock { state -> Open? in
      guard let index = state.open.firstIndex(where: { $0.cursor == cursor }) else { return nil }
      state.open[index].tries -= 1
      return index == 0 ? state.open[0] : nil
    }
    if let first { try await note(first, messenger) }
  }

  /// Delivers the refused event again if its time has come, or gives it up. False if there is nothing to do.
  private func deliverRefused(_ messenger: Messenger) async throws -> Bool {
    let found = state.withLock { state -> (Open, String?)? in
      guard let refusal = state.refusal, let open = state.open.first(where: { $0.cursor == refusal.cursor })
      else { return nil }
      let isLast = options.maxTries > 0 && open.tries >= options.maxTries
      guard isLast || refusal.due <= .now else { return nil }
      state.refusal = nil
      return (open, refusal.reason)
    }
    guard let (before, reason) = found else { return false }
    var open = before
    guard options.maxTries == 0 || open.tries < options.maxTries,
      let event = try await event(open, messenger)
    else {
      try await giveUp(open, reason: reason, messenger)
      return true
    }
    open.tries += 1
    try await deliver(event, try await messenger.message(of: event), open, messenger)
    return true
  }

  /// An event that was delivered before; nil if it is no longer stored.
  private func event(_ open: Open, _ messenger: Messenger) async throws -> MessengerEvent? {
    if open.isRetried, let reader = options.reader {
      return try await messenger.retriedEvents(of: reader.name).map(\.event).first { $0.id == open.cursor }
    }
    let before = MessengerEvent.Cursor(rawValue: open.cursor.rawValue - 1)
    return try await messenger.events(after: before, limit: 1).first {
      $0.id == open.cursor && $0.lost == nil
    }
  }

  /// Delivers a dead event that is to be tried again. False if there is none.
  private func deliverRetried(_ messenger: Messenger) async throws -> Bool {
    guard options.acknowledging == .explicit, let reader = options.reader else { return false }
    let known = state.withLock { Set($0.open.map(\.cursor)) }
    let retried = try await messenger.retriedEvents(of: reader.name).first { !known.contains($0.event.id) }
    guard let retried else { return false }
    let delivery = Open(cursor: retried.event.id, tries: retried.tries, isRetried: true)
    if options.maxTries > 0, retried.tries >= options.maxTries {
      try await giveUp(delivery, reason: retried.reason, messenger)
    } else {
      let next = Open(cursor: delivery.cursor, tries: delivery.tries + 1, isRetried: true)
      try await deliver(retried.event, try await messenger.message(of: retried.event), next, messenger)
    }
    return true
  }

  /// Moves an event to the dead ones and continues behind it.
  private func giveUp(_ open: Open, reason: String?, _ messenger: Messenger) async throws {
    guard let reader = options.reader else { return }
    guard
      try await messenger.bury(open.cursor, of: reader.name, tries: open.tries, reason: reason)
    else {
      throw RPCError(
        71, "limit-reached",
        "\"\(reader.name)\" has \(DeadEventRecord.limit) dead events: retry them, or forget the reader")
    }
    let first = state.withLock { state in
      state.open.removeAll { $0.cursor == open.cursor }
      return state.open.first
    }
    if let first { try await note(first, messenger) }
    try await sink.signal(.dead(open.cursor), of: account)
  }
}

extension Messenger {
  /// The message of an event, if it is still there.
  nonisolated func message(of event: MessengerEvent) async throws -> MessageView? {
    guard let id = event.message else { return nil }
    return try await message(id)
  }
}
