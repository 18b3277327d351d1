import SessionBase
import SessionCore
package import SessionMessaging
package import SessionStorage

/// The account of a program that serves a client for as long as that stays, while the program that holds the account may
/// change: calls wait until the next one has it.
package actor ResidentAccount: ServedAccounts {
  private let name: String
  private var id: String?
  private var messenger: Messenger?
  /// Opens when there is a messenger again.
  private var arrival = Latch()
  private var listeners: [AsyncStream<Void>.Continuation] = []

  package init(_ name: String) { self.name = name }

  /// Calls use a messenger from now on.
  package func enter(_ messenger: Messenger) {
    self.messenger = messenger
    id = messenger.id.description
    arrival.open()
    tellChange()
  }

  /// Calls wait for the next messenger from now on.
  package func leave() {
    messenger = nil
    arrival = Latch()
    tellChange()
  }

  /// Listeners whose stream has ended are forgotten.
  private func tellChange() {
    listeners.removeAll { if case .terminated = $0.yield() { true } else { false } }
  }

  package func changes() -> AsyncStream<Void> {
    let (changes, telling) = AsyncStream.makeStream(of: Void.self, bufferingPolicy: .bufferingNewest(1))
    listeners.append(telling)
    telling.yield()
    return changes
  }

  package func all() -> [ServedAccount] {
    [ServedAccount(name: name, id: id, state: messenger == nil ? "opening" : "running")]
  }

  package func messenger(named asked: String?) async throws -> Messenger {
    guard asked == nil || asked == name else {
      throw RPCError(78, "no-account", "this program does not serve the account \(asked ?? "")")
    }
    while true {
      if let messenger { return messenger }
      await arrival.wait()
      try Task.checkCancellation()
    }
  }

  package func openMessenger(named asked: String) -> Messenger? { asked == name ? messenger : nil }

  package func park(_ name: String) throws { throw busy }

  package func unpark(_ name: String) {}

  package func release(to process: Int32) throws { throw busy }

  package func isDeleted(_ name: String) -> Bool { false }

  private var busy: RPCError { RPCError(75, "busy", "this program keeps the account \(name) open") }

  /// It is open already.
  package func unlock(_ name: String, _ secret: KeySecret?) {}

  package func change(_ name: String, _ change: AccountChange) throws { throw busy }
}
