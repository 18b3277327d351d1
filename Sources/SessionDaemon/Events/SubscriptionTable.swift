import SessionMessaging
import Synchronization

/// The subscriptions of all clients. A reader has one at a time.
final class SubscriptionTable: Sendable {
  private struct Key: Hashable {
    let account: String
    let reader: String
  }

  private struct State {
    var readers: [Key: EventSubscription] = [:]
    var last = 0
  }

  private let state = Mutex(State())

  func newID() -> String {
    state.withLock { state in
      state.last += 1
      return "s\(state.last)"
    }
  }

  /// Adds a subscription. Throws `reader-busy` if its reader has another one, which is ended with `takingOver`.
  func add(_ subscription: EventSubscription, takingOver: Bool) throws(RPCError) {
    guard let reader = subscription.reader else { return }
    let key = Key(account: subscription.account, reader: reader.name)
    let before = try state.withLock { (state) throws(RPCError) -> EventSubscription? in
      let before = state.readers[key]
      guard before == nil || takingOver else {
        throw RPCError(
          75, "reader-busy", "another program reads as \"\(reader.name)\"",
          advice: "Use another name, or \"take_over\":true.")
      }
      state.readers[key] = subscription
      return before
    }
    before?.end("taken-over")
  }

  func remove(_ subscription: EventSubscription) {
    guard let reader = subscription.reader else { return }
    let key = Key(account: subscription.account, reader: reader.name)
    state.withLock { state in
      if state.readers[key] === subscription { state.readers[key] = nil }
    }
  }

  func subscription(of reader: String, account: String) -> EventSubscription? {
    state.withLock { $0.readers[Key(account: account, reader: reader)] }
  }
}
