import SessionBase
package import SessionCore
package import SessionStorage

extension RPCCall {
  /// The most bytes of a secret.
  private static let maxSecret = 4096

  /// A secret, such as a passphrase: a text, or better `{"fd": N}`, a file that came with the call, which no copy of the
  /// call's text has. Its first line counts. Nil if the parameter is missing.
  package func secret(_ name: String) throws -> SecretBytes? {
    guard let value = params[name] else { return nil }
    if let text = value.string { return try secret(name, from: Array(text.utf8)) }
    guard case .object = value, let index = try MethodArguments(value, known: ["fd"]).number("fd", 0...31)
    else { throw RPCError.wrongParameter(name, "a text, or {\"fd\": N} for a file that comes with the call") }
    return try secret(inFile: Int(index), name)
  }

  /// The secret in a file that came with the call.
  func secret(inFile index: Int, _ name: String) throws -> SecretBytes {
    try secret(name, from: try OpenFile(reading: try file(index)).readAll(upTo: Self.maxSecret))
  }

  /// The key of a database: in hexadecimal digits, in a file that came with the call and that no copy of its text has.
  func key(inFile index: Int, _ name: String) throws -> DatabaseKey {
    var digits = try secret(inFile: index, name).reveal()
    defer { digits.wipe() }
    guard var bytes = try? [UInt8](hex: digits) else { throw RPCError.wrongParameter(name, "a key") }
    defer { bytes.wipe() }
    return try DatabaseKey(try SecretBytes(copying: bytes))
  }

  private func secret(_ name: String, from bytes: consuming [UInt8]) throws -> SecretBytes {
    var bytes = bytes
    defer { bytes.wipe() }
    let line = bytes.prefix { $0 != UInt8(ascii: "\n") }
    guard !line.isEmpty, line.count <= Self.maxSecret else {
      throw RPCError.wrongParameter(name, "1 to \(Self.maxSecret) bytes long")
    }
    return try SecretBytes(copying: Array(line))
  }

  /// The name of an account that the client may use. Throws `no-account` for any other.
  package func permitted(_ name: String) async throws -> String {
    guard await accounts().contains(where: { $0.name == name }) else { throw RPCError.noAccount(name) }
    return name
  }

  /// Throws `permission` if the client may not use an account of this name, once there is one.
  package func requireAccess(to name: String) throws(RPCError) {
    guard let names = access.accounts, !names.contains(name) else { return }
    throw RPCError(77, "permission", "this client may not use an account \(name.prefix(64))")
  }

  /// Does something with an account while the server has it closed, and opens it again.
  package func alone<R: Sendable>(
    with account: String, _ work: @escaping @Sendable () async throws -> R
  ) async throws -> R {
    let accounts = connection.accounts
    try await accounts.park(account)
    return try await doing(work) { await accounts.unpark(account) }
  }

  /// Returns when the server has opened an account that was just made, if it serves that one.
  package func untilOpen(_ name: String, _ secret: KeySecret?) async throws {
    let accounts = connection.accounts
    guard await accounts.all().contains(where: { $0.name == name }) else { return }
    if let secret {
      // The server may not have noticed yet that the account needs it.
      for await _ in await accounts.changes() {
        guard await accounts.all().contains(where: { $0.name == name && $0.isBeingOpened }) else { break }
      }
      try await accounts.unlock(name, secret)
    }
    _ = try await accounts.messenger(named: name)
  }
}
