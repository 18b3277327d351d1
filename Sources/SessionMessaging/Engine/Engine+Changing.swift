import SessionCore
import SessionStorage

extension Engine {
  /// Edits configs, and writes what belongs to that in one transaction: all of it is done, or nothing.
  @discardableResult
  func change<Plan: Sendable, R: Sendable>(
    _ edit: @escaping @Sendable (inout Configs, MessageTime) throws -> Plan,
    writing write: @escaping @Sendable (Plan, borrowing WriteTransaction, MessageTime) throws -> R
  ) async throws -> R {
    try await act { [self] in try changeNow(edit, writing: write) }
  }

  /// The same on the lane's own thread.
  func changeNow<Plan: Sendable, R: Sendable>(
    _ edit: (inout Configs, MessageTime) throws -> Plan,
    writing write: (Plan, borrowing WriteTransaction, MessageTime) throws -> R
  ) throws -> R {
    try requireWorking()
    let now = try time()
    var plan: Plan?
    var result: R?
    try configs.edit(at: now) { configs in
      plan = try edit(&configs, now)
    } saving: { outcome in
      guard let plan else { preconditionFailure("an edit is saved when it is done") }
      result = try database.write { transaction in
        try keep(outcome, in: transaction, at: now)
        return try write(plan, transaction, now)
      }
    }
    guard let result else { preconditionFailure("an edit that is done was saved") }
    return result
  }

  /// Writes what concerns no config.
  @discardableResult
  func write<R: Sendable>(
    _ body: @escaping @Sendable (borrowing WriteTransaction, MessageTime) throws -> R
  ) async throws -> R {
    try requireWorking()
    let now = try time()
    return try await database.write { transaction in try body(transaction, now) }
  }
}
