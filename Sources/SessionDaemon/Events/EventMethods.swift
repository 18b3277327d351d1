import SessionBase
package import SessionMessaging
import SessionStorage

extension RPCMethod {
  /// Writes an event as a JSON object.
  package typealias EventRendering = @Sendable (DeliveredEvent, Messenger) async throws -> String

  /// The methods by which programs read events.
  package static func events(
    _ table: SubscriptionTable, _ render: @escaping EventRendering
  ) -> [RPCMethod] {
    let events = EventMethods(table: table, render: render)
    return [
      RPCMethod("events.subscribe", needs: .read, takes: SubscriptionOptions.parameters) { call in
        try await events.subscribe(call)
      },
      RPCMethod("events.unsubscribe", needs: .read, takes: ["subscription"]) { call in
        try events.unsubscribe(call)
      },
      RPCMethod("events.ack", needs: .read, takes: ["reader", "cursor", "account"]) { call in
        try await events.acknowledge(call)
      },
      RPCMethod("events.nack", needs: .read, takes: ["reader", "cursor", "reason", "delay_ms", "account"]) {
        call in try await events.refuse(call)
      },
      RPCMethod(
        "events.next", needs: .read,
        takes: ["reader"] + EventFilter.parameters + ["ack", "limit", "wait_ms", "account"]
      ) { call in try await events.next(call) },
    ]
  }
}

/// What clients ask of the events of an account.
private struct EventMethods: Sendable {
  let table: SubscriptionTable
  let render: RPCMethod.EventRendering

  private static let done = "{\"done\":true}"
  /// The most subscriptions of one connection.
  private static let limit = 64
  /// The most events of a page.
  private static let page: ClosedRange<Int64> = 1...1000
  /// The longest wait for an event, in milliseconds.
  private static let wait: ClosedRange<Int64> = 0...60_000
  /// The longest wait before an event is delivered again, in milliseconds.
  private static let delay: ClosedRange<Int64> = 0...3_600_000
  /// The longest reason of a refusal, in bytes.
  private static let maxReason = 500

  // MARK: - Subscriptions

  func subscribe(_ call: RPCCall) async throws -> String {
    let params = call.params
    let options = try SubscriptionOptions(params, for: call.access)
    let choice = try await AccountChoice(of: call)
    if case .integer? = params["from"], choice.only == nil {
      throw RPCError.invalidParams("a numeric \"from\" needs a single account")
    }
    let (connection, accounts) = (call.connection, call.connection.accounts)
    let open = try await choice.open(in: accounts)
    let names = choice.names ?? open
    let subscription = EventSubscription(
      id: table.newID(), to: choice, options, in: table, over: connection, render)
    guard connection.add(subscription, upTo: Self.limit) else {
      throw RPCError(71, "limit-reached", "a connection has up to \(Self.limit) subscriptions")
    }
    var starts: [(account: String, start: EventStart)] = []
    do {
      // The place of a reader that another client has stays as it is.
      try table.check(subscription, of: names)
      for name in open {
        let messenger = try await accounts.messenger(named: name)
        starts.append((name, try await EventStart(of: options.reader, options.start, messenger)))
      }
      // Only now: a client that takes over a reader ends the other subscription.
      try table.add(subscription, of: names)
    } catch {
      connection.remove(subscription)
      guard (error as? StorageError)?.code == .closed else { throw error }
      throw RPCError(75, "busy", "the account was closed meanwhile")
    }
    connection.deliver(subscription, from: starts)
    var members: [JSONValue.Member] = [
      .init("subscription", .string(subscription.id)),
      .init("positions", .array(starts.map { .object($0.start.position($0.account)) })),
    ]
    if choice.only != nil, let gap = starts.first?.start.gap {
      members.append(.init("gap", .object(gap.members)))
    }
    return JSONValue.object(members).description
  }

  func unsubscribe(_ call: RPCCall) throws -> String {
    guard let id = call.params["subscription"]?.string,
      let subscription = call.connection.subscription(id)
    else { throw RPCError.invalidParams("there is no such subscription") }
    table.remove(subscription)
    subscription.end("unsubscribed")
    return Self.done
  }

  // MARK: - Acknowledging

  func acknowledge(_ call: RPCCall) async throws -> String {
    let reader = try EventReader(call.params, for: call.access)
    let cursor = try call.params.cursor("cursor")
    let account = try await call.account()
    try await acknowledge(cursor, by: reader, account, try await call.messenger())
    return Self.done
  }

  private func acknowledge(
    _ cursor: MessengerEvent.Cursor, by reader: EventReader, _ account: String, _ messenger: Messenger
  ) async throws {
    do { try await messenger.acknowledge(cursor, by: reader.name) } catch let error as MessengerError
      where error.code == .unknownCursor
    {
      throw RPCError.invalidParams(error.message)
    } catch let error as MessengerError where error.code == .tooManyReaders {
      throw RPCError(71, "limit-reached", error.message)
    }
    try await table.settled(EventAcknowledgement(cursor, by: reader.name), of: account, messenger)
  }

  /// Has the first event that is not acknowledged delivered again.
  func refuse(_ call: RPCCall) async throws -> String {
    let reader = try EventReader(call.params, for: call.access)
    let cursor = try call.params.cursor("cursor")
    let delay = try call.params.number("delay_ms", Self.delay, usual: 0)
    let reason = call.params["reason"]?.string
    guard call.params["reason"] == nil || (reason?.utf8.count ?? .max) <= Self.maxReason else {
      throw RPCError.invalidParams("\"reason\" is a text of up to \(Self.maxReason) bytes")
    }
    guard let delivery = table.delivery(to: reader.name, of: try await call.account()) else {
      throw RPCError.invalidParams("there is no subscription of the reader \"\(reader.name)\"")
    }
    try delivery.refuse(cursor, reason: reason, delay: .milliseconds(delay))
    return Self.done
  }

  // MARK: - Pages

  /// The next page of a reader, as soon as there is any event.
  func next(_ call: RPCCall) async throws -> String {
    let params = call.params
    let reader = try EventReader(params, for: call.access)
    let filter = try EventFilter(params)
    let limit = Int(try params.number("limit", Self.page, usual: 100))
    let wait = try params.number("wait_ms", Self.wait, usual: 0)
    let account = try await call.account()
    let messenger = try await call.messenger()
    if params["ack"] != nil {
      try await acknowledge(try params.cursor("ack"), by: reader, account, messenger)
    }
    let start = try await EventStart(of: reader, nil, messenger)
    if try await messenger.events(after: start.cursor, limit: 1).isEmpty, wait > 0 {
      call.work.end()
      _ = try await withinTime(.milliseconds(wait)) {
        for try await _ in messenger.events(from: start.cursor) { return }
      }
    }
    let events = try await messenger.events(after: start.cursor, limit: limit)
    var items: [String] = []
    for event in events {
      let message = try await messenger.message(of: event)
      guard try await filter.admits(event, message, of: messenger) else { continue }
      let delivered = DeliveredEvent(event: event, message: message, account: account, tries: nil)
      items.append(try await render(delivered, messenger))
    }
    let cursor = events.last?.id ?? start.cursor
    // What is not wanted needs no acknowledgement.
    if items.isEmpty, cursor > start.cursor { try await messenger.acknowledge(cursor, by: reader.name) }
    let gap = start.gap.map { ",\"gap\":\(JSONValue.object($0.members))" } ?? ""
    return """
      {"items":[\(items.joined(separator: ","))],"cursor":\(cursor.rawValue),"more":\(events.count == limit)\(gap)}
      """
  }
}

extension RPCCall {
  /// The event that the change of this call settles: the parameter `ack`.
  package func settledEvent() throws -> EventAcknowledgement? {
    guard let ack = params["ack"] else { return nil }
    guard case .object(let members) = ack, members.allSatisfy({ ["reader", "cursor"].contains($0.name) })
    else { throw RPCError.invalidParams("\"ack\" has the members \"reader\" and \"cursor\"") }
    return EventAcknowledgement(try ack.cursor("cursor"), by: try EventReader(ack, for: access).name)
  }
}

extension JSONValue {
  /// The number of an event.
  fileprivate func cursor(_ name: String) throws(RPCError) -> MessengerEvent.Cursor {
    guard let number = self[name]?.integer, number >= 0 else {
      throw .invalidParams("\"\(name)\" is the number of an event")
    }
    return MessengerEvent.Cursor(rawValue: number)
  }
}
