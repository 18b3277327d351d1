import SessionBase
import SessionCore
package import SessionMessaging
package import SessionStorage

/// The accounts that a program serves.
package protocol ServedAccounts: Sendable {
  /// Their names, with the state of each.
  func all() async -> [ServedAccount]
  /// The messenger of an account; of the only one for nil. Waits for one that is being opened.
  func messenger(named name: String?) async throws -> Messenger
  /// The messenger of an account that is open now; nil for any other. Waits for none.
  func openMessenger(named name: String) async -> Messenger?
  /// Yields at once, and again whenever the state of an account changes.
  func changes() async -> AsyncStream<Void>
  /// Closes an account, so that another program can work on it alone, until ``unpark(_:)``.
  func park(_ name: String) async throws
  func unpark(_ name: String) async
  /// Lets another process have the account, if that is the daemon.
  func release(to process: Int32) async throws
  /// Opens an account that is locked, with a secret, or with what opens it without a person.
  func unlock(_ name: String, _ secret: KeySecret?) async throws
  func change(_ name: String, _ change: AccountChange) async throws
  /// True if an account that was served was deleted from this machine.
  func isDeleted(_ name: String) async -> Bool
}

package struct ServedAccount: Hashable, Sendable {
  package let name: String
  /// Nil while it is not known.
  package let id: String?
  /// Such as `running`.
  package let state: String
  /// Why it cannot be opened; nil unless it has failed.
  package var failure: String?
  /// How long its database has been at the same write.
  package var writingTime = Duration.zero

  /// A write that takes longer is stuck.
  package static let longestWrite = Duration.seconds(60)

  /// True if its database has been at the same write for too long.
  package var isStuck: Bool { writingTime >= Self.longestWrite }

  package init(name: String, id: String?, state: String) {
    self.name = name
    self.id = id
    self.state = state
  }

  /// True if calls are carried out.
  var isOpen: Bool { state == "running" || state == "suspended" }

  /// True while it is being opened.
  var isBeingOpened: Bool { state == "opening" }

  /// True in a temporary state, which another follows by itself.
  var isPassing: Bool { isBeingOpened || state == "parked" }
}

/// The one account of a program that is not the daemon.
package struct OneAccount: ServedAccounts {
  private let name: String
  private let messenger: Messenger
  private let release: @Sendable (Int32) throws -> Void

  /// `release` lets a process have the account, or throws.
  package init(
    _ name: String, _ messenger: Messenger, release: @escaping @Sendable (Int32) throws -> Void = { _ in }
  ) {
    self.name = name
    self.messenger = messenger
    self.release = release
  }

  package func park(_ name: String) throws {
    throw RPCError(75, "busy", "this program keeps the account \(name) open")
  }

  package func unpark(_ name: String) {}

  /// Its state stays.
  package func changes() -> AsyncStream<Void> {
    let told = Counter()
    return AsyncStream {
      guard told.value > 0 else { return told.add(1) }
      await Latch().wait()
      return nil
    }
  }

  package func release(to process: Int32) throws { try release(process) }

  /// It is open already.
  package func unlock(_ name: String, _ secret: KeySecret?) {}

  package func change(_ name: String, _ change: AccountChange) throws {
    throw RPCError(75, "busy", "this program keeps the account \(name) open")
  }

  package func isDeleted(_ name: String) -> Bool { false }

  package func all() async -> [ServedAccount] {
    [ServedAccount(name: name, id: messenger.id.description, state: "running")]
  }

  package func messenger(named asked: String?) async throws -> Messenger {
    guard asked == nil || asked == name else {
      throw RPCError(78, "no-account", "this program does not serve the account \(asked ?? "")")
    }
    return messenger
  }

  package func openMessenger(named asked: String) -> Messenger? { asked == name ? messenger : nil }
}
