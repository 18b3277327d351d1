import SessionBase
import SessionMessaging
import SessionStorage
import Synchronization

/// The events that one client has subscribed to, in one account or several.
final class EventSubscription: Sendable {
  let id: String
  let options: SubscriptionOptions
  private let choice: AccountChoice
  private let table: SubscriptionTable
  private let sink: ClientSink
  private let signals = SignalBox()
  /// Where the events begin of the accounts that were open when the client subscribed.
  private let starts = Mutex<[String: EventStart]>([:])
  private let deliveries = Mutex<[String: EventDelivery]>([:])
  /// Why the delivery ended.
  private let end = Mutex<String?>(nil)
  private let ended = Latch()

  /// Why a subscription ends whose account was deleted.
  private static let deleted = "account-deleted"

  init(
    id: String, to choice: AccountChoice, _ options: SubscriptionOptions, in table: SubscriptionTable,
    over connection: RPCConnection, _ render: @escaping RPCMethod.EventRendering
  ) {
    self.id = id
    self.choice = choice
    self.options = options
    self.table = table
    sink = ClientSink(subscription: id, connection: connection, render: render)
  }

  /// The delivery of the events of an account; nil if it has not begun.
  func delivery(of account: String) -> EventDelivery? { deliveries.withLock { $0[account] } }

  /// Ends the delivery.
  func end(_ kind: String) {
    end.withLock { end in if end == nil { end = kind } }
    ended.open()
  }

  /// Delivers events until it is ended or the client is gone: of open accounts from these places on, of others as soon as
  /// they are open.
  func run(from starts: [(account: String, start: EventStart)], _ accounts: any ServedAccounts) async {
    self.starts.withLock { $0 = Dictionary(uniqueKeysWithValues: starts.map { ($0.account, $0.start) }) }
    await withTaskGroup { group in
      group.addTask { [self] in
        await accounts.forEachRunning(of: choice.names.map { Set($0) }) { [self] account in
          await deliver(account, accounts)
        }
      }
      group.addTask { [self] in await watch(accounts) }
      if !options.signals.isEmpty {
        group.addTask { [self] in
          while let signal = await signals.next(), (try? await sink.tell(signal)) != nil {}
        }
      }
      group.addTask { [ended] in await ended.wait() }
      await group.next()
      group.cancelAll()
    }
    table.remove(self)
    let kind = end.withLock { $0 } ?? "ended"
    await Task { [sink] in try? await sink.tellEnd(kind) }.value
  }

  /// Delivers the events of an account that is open, and its signals, for as long as it is served.
  private func deliver(_ account: String, _ accounts: any ServedAccounts) async {
    await withTaskGroup { group in
      group.addTask { [self] in
        do { try await deliverEvents(account, accounts) } catch let error as RPCError {
          // The reader continues behind its last acknowledgement, in another subscription. With "*", a removed account does
          // not end the subscription.
          guard error.kind == RPCError.noAccount(account).kind else { return end(error.kind) }
          if choice.names != nil { end(await accounts.isDeleted(account) ? Self.deleted : error.kind) }
        } catch is CancellationError {
          // The account is gone, or the subscription ends.
        } catch {
          // The client is gone.
          ended.open()
        }
      }
      group.addTask { [self] in await tellSignals(of: account, accounts) }
      await group.next()
      group.cancelAll()
    }
    deliveries.withLock { $0[account] = nil }
  }

  private func deliverEvents(_ account: String, _ accounts: any ServedAccounts) async throws {
    let delivery = EventDelivery(of: account, options, to: sink)
    let start: EventStart
    if let known = starts.withLock({ $0.removeValue(forKey: account) }) {
      start = known
    } else {
      try table.add(self, of: [account])
      start = try await begin(account, accounts)
      try await sink.tell(start, of: account)
      if let gap = start.gap { try await sink.signal(.gap(gap), of: account) }
    }
    deliveries.withLock { $0[account] = delivery }
    try await delivery.run(from: start.cursor, accounts)
  }

  /// The place in an account that was not open when the client subscribed.
  private func begin(_ account: String, _ accounts: any ServedAccounts) async throws -> EventStart {
    while true {
      let messenger = try await accounts.messengerWhenOpen(account)
      do { return try await EventStart(of: options.reader, options.start, messenger) } catch let error
        as StorageError where error.code == .closed
      {
        // It is closed for a while.
      }
    }
  }

  // MARK: - Signals

  /// Tells what happens in the memory of an account, as long as it is served.
  private func tellSignals(of account: String, _ accounts: any ServedAccounts) async {
    let kinds = MessengerSignal.Kind.wanted(options.signals)
    guard !kinds.isEmpty else { return await Latch().wait() }
    var last: Messenger?
    while let messenger = try? await accounts.messengerWhenOpen(account), messenger !== last {
      for await signal in messenger.signals(kinds) { signals.put(Signal(signal, of: account)) }
      last = messenger
    }
    await Latch().wait()
  }

  /// Watches the states of the accounts. Returns when one is gone that the client has named.
  private func watch(_ accounts: any ServedAccounts) async {
    var told: [String: String] = [:]
    for await _ in await accounts.changes() {
      let all = await accounts.all()
      if let gone = choice.names?.first(where: { name in !all.contains { $0.name == name } }) {
        return end(await accounts.isDeleted(gone) ? Self.deleted : RPCError.noAccount(gone).kind)
      }
      guard options.signals.contains(.account) else { continue }
      for account in all where choice.names?.contains(account.name) ?? true {
        if told.updateValue(account.state, forKey: account.name) != account.state {
          signals.put(Signal(account))
        }
      }
    }
    await Latch().wait()
  }
}

/// Writes events to a client.
struct ClientSink: EventSink {
  let subscription: String
  let connection: RPCConnection
  let render: RPCMethod.EventRendering

  func deliver(_ event: DeliveredEvent, of messenger: Messenger) async throws {
    let text = try await render(event, messenger)
    let params =
      "{\"subscription\":\(JSONText.quoted(subscription)),\"account\":\(JSONText.quoted(event.account)),\"event\":\(text)}"
    // A line is written as a whole, also if the delivery ends meanwhile.
    try await Task { try await connection.tell("event", params) }.value
  }

  func signal(_ signal: DeliverySignal, of account: String) async throws {
    let members: [JSONValue.Member] =
      switch signal {
      case .gap(let gap): [.init("kind", "gap")] + gap.members
      case .dead(let cursor): [.init("kind", "dead"), .init("cursor", .integer(cursor.rawValue))]
      }
    try await tell("signal", [.init("account", .string(account))] + members)
  }

  func tell(_ signal: Signal) async throws {
    try await tell(
      "signal",
      [
        .init("account", .string(signal.subject.account)),
        .init("kind", .string(signal.subject.kind.rawValue)),
      ] + signal.members)
  }

  /// Tells where the events of an account begin that was not open when the client subscribed.
  func tell(_ start: EventStart, of account: String) async throws {
    try await tell("subscription.account", start.position(account))
  }

  func tellEnd(_ kind: String) async throws {
    try await tell("subscription.ended", [.init("kind", .string(kind))])
  }

  private func tell(_ method: String, _ members: [JSONValue.Member]) async throws {
    let params = JSONValue.object([.init("subscription", .string(subscription))] + members)
    try await Task { try await connection.tell(method, params.description) }.value
  }
}

extension EventGap {
  var members: [JSONValue.Member] {
    [
      .init("oldest", .integer(lost.upperBound.rawValue + 1)), .init("newest", .integer(newest.rawValue)),
      .init("lost_from", .integer(lost.lowerBound.rawValue)),
      .init("lost_to", .integer(lost.upperBound.rawValue)),
    ]
  }
}
