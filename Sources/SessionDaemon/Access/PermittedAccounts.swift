import SessionBase
import SessionCore
import SessionMessaging
import SessionStorage

/// Some of the accounts that a program serves. For the client the others do not exist.
struct PermittedAccounts: ServedAccounts {
  let served: any ServedAccounts
  let names: Set<String>

  func all() async -> [ServedAccount] { await served.all().filter { names.contains($0.name) } }

  func messenger(named name: String?) async throws -> Messenger {
    if let name { return try await served.messenger(named: permitted(name)) }
    let all = await all()
    guard let only = all.first, all.count == 1 else { throw RPCError.accountRequired(all.map(\.name)) }
    return try await served.messenger(named: only.name)
  }

  func openMessenger(named name: String) async -> Messenger? {
    guard names.contains(name) else { return nil }
    return await served.openMessenger(named: name)
  }

  func changes() async -> AsyncStream<Void> { await served.changes() }

  func park(_ name: String) async throws { try await served.park(permitted(name)) }

  func unpark(_ name: String) async {
    guard names.contains(name) else { return }
    await served.unpark(name)
  }

  func release(to process: Int32) async throws { try await served.release(to: process) }

  func unlock(_ name: String, _ secret: KeySecret?) async throws {
    try await served.unlock(permitted(name), secret)
  }

  func change(_ name: String, _ change: AccountChange) async throws {
    try await served.change(permitted(name), change)
  }

  func isDeleted(_ name: String) async -> Bool {
    guard names.contains(name) else { return false }
    return await served.isDeleted(name)
  }

  private func permitted(_ name: String) throws(RPCError) -> String {
    guard names.contains(name) else { throw .noAccount(name) }
    return name
  }
}
