import SessionBase

/// The accounts whose events a client wants.
enum AccountChoice: Hashable, Sendable {
  case named([String])
  /// Those that are open, and those that will be.
  case all

  /// How long a client waits for accounts that are being opened, before their events begin by themselves.
  private static let patience = Duration.seconds(5)

  /// Throws `no-account` for one that the client may not use.
  init(of call: RPCCall) async throws {
    guard let value = call.params["accounts"] else {
      self = .named([try await call.account()])
      return
    }
    guard call.params["account"] == nil else {
      throw RPCError.invalidParams("give \"account\" or \"accounts\", not both")
    }
    guard value != "*" else {
      self = .all
      return
    }
    let names = try call.params.texts("accounts") ?? []
    guard !names.isEmpty, Set(names).count == names.count else {
      throw RPCError.invalidParams("\"accounts\" is an array of different names, or \"*\"")
    }
    let served = Set(await call.accounts().map(\.name))
    for name in names where !served.contains(name) { throw RPCError.noAccount(name) }
    self = .named(names)
  }

  /// Nil for all.
  var names: [String]? { if case .named(let names) = self { names } else { nil } }

  /// The name, if there is only one.
  var only: String? { names.flatMap { $0.count == 1 ? $0[0] : nil } }

  /// Those that are open now. Waits a moment for named ones that are being opened, and throws if one of them is locked or
  /// cannot be opened.
  func open(in accounts: any ServedAccounts) async throws -> [String] {
    guard let names else { return await accounts.all().filter(\.isOpen).map(\.name) }
    await within(Self.patience) {
      for await _ in await accounts.changes() {
        let all = await accounts.all()
        guard all.contains(where: { names.contains($0.name) && $0.isBeingOpened }) else { return }
      }
    }
    try Task.checkCancellation()
    let states = Dictionary(uniqueKeysWithValues: await accounts.all().map { ($0.name, $0) })
    var open: [String] = []
    for name in names {
      guard let account = states[name] else { throw RPCError.noAccount(name) }
      if account.isOpen {
        open.append(name)
      } else if !account.isPassing {
        // This throws the reason.
        _ = try await accounts.messenger(named: name)
        open.append(name)
      }
    }
    return open
  }
}
