import SessionBase
package import SessionMessaging

extension RPCMethod {
  /// Writes an event as a JSON object.
  package typealias EventRendering =
    @Sendable (MessengerEvent, MessageView?, Messenger) async throws -> String

  /// The methods by which programs read events.
  package static func events(_ render: @escaping EventRendering) -> [RPCMethod] {
    let table = SubscriptionTable()
    return [
      RPCMethod("events.subscribe", needs: .read) { call in
        try await EventSubscribing(table: table, render: render).subscribe(call)
      },
      RPCMethod("events.unsubscribe", needs: .read) { call in
        guard let id = call.params["subscription"]?.string,
          let subscription = call.connection.subscription(id)
        else { throw RPCError.invalidParams("there is no such subscription") }
        table.remove(subscription)
        subscription.end("unsubscribed")
        return done
      },
      RPCMethod("events.ack", needs: .read) { call in
        try await EventSubscribing(table: table, render: render).acknowledge(call)
        return done
      },
      RPCMethod("events.next", needs: .read) { call in
        try await EventSubscribing(table: table, render: render).next(call)
      },
    ]
  }

  private static let done = "{\"done\":true}"
}

/// What clients ask of the events of an account.
private struct EventSubscribing: Sendable {
  let table: SubscriptionTable
  let render: RPCMethod.EventRendering

  /// The most subscriptions of one connection.
  private static let limit = 64
  /// The most events of a page.
  private static let page: ClosedRange<Int64> = 1...1000
  /// The longest wait for an event, in milliseconds.
  private static let wait: ClosedRange<Int64> = 0...60_000

  func subscribe(_ call: RPCCall) async throws -> String {
    let params = call.params
    let account = try await call.account()
    let messenger = try await call.messenger()
    let reader = try params["reader"] == nil ? nil : EventReader(params)
    let filter = try EventFilter(params)
    let name = params["ack"]?.string ?? (reader == nil ? "none" : "explicit")
    guard let acknowledging = EventSubscription.Acknowledging(rawValue: name) else {
      throw RPCError.invalidParams("\"ack\" is \"explicit\", \"auto\" or \"none\"")
    }
    let window = Int(try params.number("window", 1...1000, usual: 100))
    guard call.connection.subscriptionCount < Self.limit else {
      throw RPCError(71, "limit-reached", "a connection has up to \(Self.limit) subscriptions")
    }
    let subscription = EventSubscription(
      id: table.newID(), account: account, reader, filter, reader == nil ? .none : acknowledging,
      window: window, render)
    try table.add(subscription, takingOver: params["take_over"]?.boolean ?? false)
    let start: MessengerEvent.Cursor
    let newest: MessengerEvent.Cursor
    do {
      start = try await EventReader.start(of: reader, params["from"], messenger)
      newest = try await messenger.lastEvent()
    } catch {
      table.remove(subscription)
      throw error
    }
    call.connection.deliver(subscription, from: start, forgetting: table)
    let position: JSONValue = [
      "account": .string(account), "cursor": .integer(start.rawValue), "newest": .integer(newest.rawValue),
    ]
    return "{\"subscription\":\(JSONText.quoted(subscription.id)),\"positions\":[\(position)]}"
  }

  func acknowledge(_ call: RPCCall) async throws {
    let reader = try EventReader(call.params)
    guard let number = call.params["cursor"]?.integer, number >= 0 else {
      throw RPCError.invalidParams("\"cursor\" is the number of an event")
    }
    let account = try await call.account()
    try await acknowledge(
      MessengerEvent.Cursor(rawValue: number), by: reader, account, try await call.messenger())
  }

  private func acknowledge(
    _ cursor: MessengerEvent.Cursor, by reader: EventReader, _ account: String, _ messenger: Messenger
  ) async throws {
    do {
      try await messenger.acknowledge(cursor, by: reader.name)
      if let skipped = table.subscription(of: reader.name, account: account)?.acknowledged(cursor) {
        try await messenger.acknowledge(skipped, by: reader.name)
      }
    } catch let error as MessengerError where error.code == .unknownCursor {
      throw RPCError.invalidParams(error.message)
    }
  }

  /// The next page of a reader, as soon as there is any event.
  func next(_ call: RPCCall) async throws -> String {
    let params = call.params
    let reader = try EventReader(params)
    let filter = try EventFilter(params)
    let limit = Int(try params.number("limit", Self.page, usual: 100))
    let wait = try params.number("wait_ms", Self.wait, usual: 0)
    let account = try await call.account()
    let messenger = try await call.messenger()
    if let ack = params["ack"] {
      guard let number = ack.integer, number >= 0 else {
        throw RPCError.invalidParams("\"ack\" is the number of an event")
      }
      try await acknowledge(MessengerEvent.Cursor(rawValue: number), by: reader, account, messenger)
    }
    let start = try await messenger.registerReader(reader.name)
    if try await messenger.events(after: start, limit: 1).isEmpty, wait > 0 {
      _ = try await withinTime(.milliseconds(wait)) {
        for try await _ in messenger.events(from: start) { return }
      }
    }
    let events = try await messenger.events(after: start, limit: limit)
    var items: [String] = []
    for event in events {
      let message = try await messenger.message(of: event)
      if filter.admits(event, message) { items.append(try await render(event, message, messenger)) }
    }
    let cursor = events.last?.id ?? start
    // What is not wanted needs no acknowledgement.
    if items.isEmpty, cursor > start { try await messenger.acknowledge(cursor, by: reader.name) }
    return """
      {"items":[\(items.joined(separator: ","))],"cursor":\(cursor.rawValue),"more":\(events.count == limit)}
      """
  }
}
