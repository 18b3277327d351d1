import SessionBase
import SessionMessaging
import Synchronization

extension ServedAccounts {
  /// Does something for each account that runs, or begins to, for as long as it is served and the task is not cancelled.
  /// Work that has ended is not begun again.
  func forEachRunning(
    of names: Set<String>? = nil, _ work: @escaping @Sendable (String) async -> Void
  ) async {
    let changes = await changes()
    var begun: [String: Task<Void, Never>] = [:]
    for await _ in changes {
      let all = await all()
      for name in begun.keys where !all.contains(where: { $0.name == name }) {
        begun.removeValue(forKey: name)?.cancel()
      }
      for account in all where account.isOpen && names?.contains(account.name) ?? true {
        guard begun[account.name] == nil else { continue }
        begun[account.name] = Task { await work(account.name) }
      }
    }
    let tasks = Array(begun.values)
    for task in tasks { task.cancel() }
    await Task { for task in tasks { await task.value } }.value
  }

  /// The messenger of an account as soon as that is open, also if a person has to unlock it first. Throws if the account is
  /// not served.
  func messengerWhenOpen(_ name: String) async throws -> Messenger {
    for await _ in await changes() {
      do { return try await messenger(named: name) } catch let error as RPCError
        where error.kind != RPCError.noAccount(name).kind
      {
        // It is locked, or cannot be opened now.
      }
    }
    throw CancellationError()
  }
}
