package import SessionMessaging
import Synchronization

/// The subscriptions of all clients. A reader has one at a time.
package final class SubscriptionTable: Sendable {
  private struct Key: Hashable {
    let account: String
    let reader: String
  }

  private struct State {
    var readers: [Key: EventSubscription] = [:]
    var last = 0

    /// The other subscriptions that have these readers. Throws `reader-busy` if they may not be ended.
    func others(than subscription: EventSubscription, _ keys: [Key]) throws(RPCError) -> [EventSubscription] {
      let others = keys.compactMap { readers[$0] }.filter { $0 !== subscription }
      guard others.isEmpty || subscription.options.takesOver else {
        throw RPCError(
          75, "reader-busy", "another program reads as \"\(keys.first?.reader ?? "")\"",
          advice: "Use another name, or \"take_over\":true.")
      }
      return others
    }
  }

  private let state = Mutex(State())

  package init() {}

  func newID() -> String {
    state.withLock { state in
      state.last += 1
      return "s\(state.last)"
    }
  }

  /// Throws `reader-busy` if another subscription has the reader of this one in some of these accounts, and the client does
  /// not take over.
  func check(_ subscription: EventSubscription, of accounts: [String]) throws(RPCError) {
    guard let reader = subscription.options.reader?.name else { return }
    _ = try state.withLock { (state) throws(RPCError) -> [EventSubscription] in
      try state.others(than: subscription, accounts.map { Key(account: $0, reader: reader) })
    }
  }

  /// Gives the reader of a subscription to it, in all of these accounts. Throws `reader-busy` if another one has it, which
  /// ends if the client takes over.
  func add(_ subscription: EventSubscription, of accounts: [String]) throws(RPCError) {
    guard let reader = subscription.options.reader?.name else { return }
    let before = try state.withLock { (state) throws(RPCError) -> [EventSubscription] in
      let keys = accounts.map { Key(account: $0, reader: reader) }
      let before = try state.others(than: subscription, keys)
      for key in keys { state.readers[key] = subscription }
      return before
    }
    for subscription in before { subscription.end("taken-over") }
  }

  func remove(_ subscription: EventSubscription) {
    state.withLock { state in state.readers = state.readers.filter { $0.value !== subscription } }
  }

  /// Continues the delivery to a reader behind an event that it has acknowledged, if a client subscribed as that.
  package func settled(
    _ event: EventAcknowledgement, of account: String, _ messenger: Messenger
  ) async throws {
    try await delivery(to: event.reader, of: account)?.acknowledged(event.cursor, messenger)
  }

  /// The delivery to a reader, if a client subscribed as that.
  func delivery(to reader: String, of account: String) -> EventDelivery? {
    state.withLock { $0.readers[Key(account: account, reader: reader)] }?.delivery(of: account)
  }
}
