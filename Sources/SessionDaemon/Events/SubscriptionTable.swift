package import SessionMessaging
import Synchronization

/// The subscriptions of all clients. A reader has one at a time.
package final class SubscriptionTable: Sendable {
  private struct Key: Hashable {
    let account: String
    let reader: String

    /// Nil for a subscription without a reader.
    init?(_ subscription: EventSubscription) {
      guard let reader = subscription.options.reader else { return nil }
      (account, self.reader) = (subscription.delivery.account, reader.name)
    }

    init(account: String, reader: String) { (self.account, self.reader) = (account, reader) }
  }

  private struct State {
    var readers: [Key: EventSubscription] = [:]
    var last = 0
  }

  private let state = Mutex(State())

  package init() {}

  func newID() -> String {
    state.withLock { state in
      state.last += 1
      return "s\(state.last)"
    }
  }

  /// Adds a subscription. Throws `reader-busy` if its reader has another one, which is ended with `takingOver`.
  func add(_ subscription: EventSubscription, takingOver: Bool) throws(RPCError) {
    guard let key = Key(subscription) else { return }
    let before = try state.withLock { (state) throws(RPCError) -> EventSubscription? in
      let before = state.readers[key]
      guard before == nil || takingOver else {
        throw RPCError(
          75, "reader-busy", "another program reads as \"\(key.reader)\"",
          advice: "Use another name, or \"take_over\":true.")
      }
      state.readers[key] = subscription
      return before
    }
    before?.end("taken-over")
  }

  func remove(_ subscription: EventSubscription) {
    guard let key = Key(subscription) else { return }
    state.withLock { state in
      if state.readers[key] === subscription { state.readers[key] = nil }
    }
  }

  /// Continues the delivery to a reader behind an event that it has acknowledged, if a client subscribed as that.
  package func settled(
    _ event: EventAcknowledgement, of account: String, _ messenger: Messenger
  ) async throws {
    try await delivery(to: event.reader, of: account)?.acknowledged(event.cursor, messenger)
  }

  /// The delivery to a reader, if a client subscribed as that.
  func delivery(to reader: String, of account: String) -> EventDelivery? {
    state.withLock { $0.readers[Key(account: account, reader: reader)] }?.delivery
  }
}
