import SessionCore
import SessionEndpoint
import SessionNodeCore
import Synchronization

/// The subscriptions to new messages.
final class Subscriptions: Sendable {
  /// The number of connections that may subscribe to one account, and of all subscriptions.
  static let maxOfAccount = 64
  static let maxInAll = 100_000

  struct Listener: Sendable {
    let connection: NetworkEndpoint.Connection
    var namespaces: Set<Int16>
    var isWithData: Bool
    /// The subaccounts it listens by, so that they can be taken back; nil is the owner.
    var subaccount: [UInt8]?
    /// Milliseconds since 1970.
    var ends: UInt64
  }

  fileprivate struct State {
    var listeners: [[UInt8]: [Listener]] = [:]
    var count = 0
  }

  private let state = Mutex(State())

  var count: Int { state.withLock { $0.count } }

  /// Adds a subscription, or adds to the one of the same connection: namespaces and data are never taken away. False
  /// when there are too many.
  func add(
    _ subscription: StorageSubscription, from connection: NetworkEndpoint.Connection, now: UInt64
  ) -> Bool {
    state.withLock { state in
      var listeners = state.listeners[subscription.account, default: []].filter { $0.ends > now }
      let ends = now + StorageSubscription.life
      if let index = listeners.firstIndex(where: {
        $0.connection == connection && $0.subaccount == subscription.subaccount
      }) {
        listeners[index].namespaces.formUnion(subscription.namespaces)
        listeners[index].isWithData = listeners[index].isWithData || subscription.isWithData
        listeners[index].ends = ends
      } else {
        guard listeners.count < Self.maxOfAccount, state.count < Self.maxInAll else { return false }
        listeners.append(
          Listener(
            connection: connection, namespaces: Set(subscription.namespaces),
            isWithData: subscription.isWithData, subaccount: subscription.subaccount, ends: ends))
      }
      state.set(listeners, of: subscription.account)
      return true
    }
  }

  /// The subscribers of a message.
  func listeners(to account: [UInt8], namespace: Int16, now: UInt64) -> [Listener] {
    state.withLock { state in
      state.listeners[account]?.filter { $0.ends > now && $0.namespaces.contains(namespace) } ?? []
    }
  }

  /// Removes subscriptions to an account over a closed connection, or by revoked rights.
  func remove(of account: [UInt8], where isGone: (Listener) -> Bool) {
    state.withLock { state in
      guard let listeners = state.listeners[account] else { return }
      state.set(listeners.filter { !isGone($0) }, of: account)
    }
  }

  /// Removes expired subscriptions.
  func sweep(now: UInt64) {
    state.withLock { state in
      for (account, listeners) in state.listeners {
        state.set(listeners.filter { $0.ends > now }, of: account)
      }
    }
  }

  /// Removes subscriptions to accounts that moved; returns their subscribers.
  func remove(where isGone: ([UInt8]) -> Bool) -> [(account: [UInt8], listeners: [Listener])] {
    state.withLock { state in
      let gone = state.listeners.filter { isGone($0.key) }
      for account in gone.keys { state.set([], of: account) }
      return gone.map { ($0.key, $0.value) }
    }
  }
}

extension Subscriptions.State {
  fileprivate mutating func set(_ new: [Subscriptions.Listener], of account: [UInt8]) {
    count += new.count - (listeners[account]?.count ?? 0)
    listeners[account] = new.isEmpty ? nil : new
  }
}
