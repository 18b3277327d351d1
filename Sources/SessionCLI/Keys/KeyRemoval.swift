import SessionBase
import SessionDesktop
import SessionStorage

/// The removal of slots from the key of an account.
struct KeyRemoval: Sendable {
  private let account: AccountFolder
  private let keys: DatabaseKeys
  private let removed: [KeySlot]
  private let kept: [KeySlot]
  private let isConfirmed: Bool
  private let io: CommandIO

  init(_ invocation: Invocation, _ account: AccountFolder, _ io: CommandIO) throws {
    let text = invocation.arguments[0]
    keys = DatabaseKeys(path: account.key)
    let slots = try keys.slots()
    guard !slots.isEmpty else {
      throw StorageError(.slotMissing, "the key file is of an earlier version, without slots")
    }
    let chosen = slots.filter { "\($0.id)" == text || $0.kindName == text }
    removed = chosen
    kept = slots.filter { slot in !chosen.contains { $0.id == slot.id } }
    guard !chosen.isEmpty else {
      throw StorageError(.slotMissing, "the key has no slot \(DisplayText.line(text))")
    }
    (self.account, self.io, isConfirmed) = (account, io, invocation.has("yes"))
  }

  func run() async throws -> [KeySlot] {
    if removed.contains(where: { $0.kind == .recovery }), !isConfirmed {
      throw CommandFailure.usage(
        "without this slot the recovery phrase does not open the messages on this machine: if the others fail, they are lost",
        advice: "--yes removes it.")
    }
    // The daemon may have no way of its own to open the account again.
    let key = await AccountKey(io: io).keyAtHand(of: account)
    do { try await remove() } catch {
      if let key { try? await DaemonClient.unlock(account.name, .key(key), io) }
      throw error
    }
    if let key { try await DaemonClient.unlock(account.name, .key(key), io) }
    return removed
  }

  private func remove() async throws {
    try await AccountDoor.parked(account, io) {
      try await WorkerQueue("session.keys").run {
        let lock = try AccountLock(account, purpose: "changing the key")
        defer { withExtendedLifetime(lock) {} }
        try checkWhatIsKept()
        try keys.remove { slot in removed.contains { $0.id == slot.id } }
        forgetItems()
      }
    }
  }

  /// Throws unless a slot that is kept opens the messages. What the kernel remembers ends with the login session.
  private func checkWhatIsKept() throws {
    guard !kept.isEmpty, !isEnough(KeyState.all(of: kept, keys, KeyPlaces(io: io))) else { return }
    guard kept.contains(where: { $0.lock == .recovery }) else {
      throw StorageError(.lastSlot, "nothing else opens the messages: without this slot they would be lost")
    }
    guard isConfirmed else {
      throw CommandFailure.usage(
        "no other slot would open the messages without the recovery phrase",
        advice: "Add another one first; --yes removes it nevertheless.")
    }
  }

  /// Deletes what the keyring kept for removed slots. What is left there is harmless.
  private func forgetItems() {
    for case .secretService(let item)? in removed.map(\.lock) {
      try? KeyPlaces(io: io).secretService().forget(item, asking: false)
    }
  }

  /// True if a slot that is kept works without the recovery phrase.
  private func isEnough(_ states: [KeyState]) -> Bool {
    zip(kept, states).contains { slot, state in
      switch state {
      case .works: true
      case .asks: slot.lock?.kind == .passphrase
      case .failed, .unusable: false
      }
    }
  }
}
