import SessionBase
import SessionMessaging
import Synchronization

/// The events that one client has subscribed to.
final class EventSubscription: Sendable {
  let id: String
  let options: SubscriptionOptions
  let delivery: EventDelivery
  private let sink: ClientSink
  /// Why the delivery ended.
  private let end = Mutex<String?>(nil)
  private let ended = Latch()

  init(
    id: String, of account: String, _ options: SubscriptionOptions, to connection: RPCConnection,
    _ render: @escaping RPCMethod.EventRendering
  ) {
    self.id = id
    self.options = options
    sink = ClientSink(subscription: id, connection: connection, render: render)
    delivery = EventDelivery(of: account, options, to: sink)
  }

  /// Ends the delivery.
  func end(_ kind: String) {
    end.withLock { end in if end == nil { end = kind } }
    ended.open()
  }

  /// Delivers events from a place on, until it is ended or the client is gone.
  func run(from start: MessengerEvent.Cursor, _ accounts: any ServedAccounts) async {
    await withTaskGroup { group in
      group.addTask { [self] in
        do { try await delivery.run(from: start, accounts) } catch let error as RPCError {
          // The account is no longer served: the reader continues behind its last acknowledgement.
          end(error.kind)
        } catch {
          // The client is gone.
        }
      }
      group.addTask { [ended] in await ended.wait() }
      await group.next()
      group.cancelAll()
    }
    let kind = end.withLock { $0 } ?? "ended"
    await Task { [sink] in try? await sink.tellEnd(kind) }.value
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
    let params = JSONValue.object(
      [.init("subscription", .string(subscription)), .init("account", .string(account))] + members)
    try await Task { try await connection.tell("signal", params.description) }.value
  }

  func tellEnd(_ kind: String) async throws {
    let params: JSONValue = ["subscription": .string(subscription), "kind": .string(kind)]
    try await connection.tell("subscription.ended", params.description)
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
