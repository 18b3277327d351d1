import Glibc
import SessionBase
import SessionCore
import SessionStorage
import Synchronization

/// The tokens as the daemon checks them. It notices when another program changes the file.
package final class TokenKeeper: Sendable {
  /// Identifies a version of the file, which is replaced as a whole.
  private struct Version: Equatable {
    let inode: UInt
    let size: Int
    let seconds: Int
    let nanoseconds: Int
  }

  private struct State {
    var version: Version?
    var tokens: [AccessToken] = []
    /// One for each token, as long as it is there.
    var budgets: [String: SendBudget] = [:]
  }

  private static let day: Int64 = 86_400_000

  private let file: TokenFile
  private let now: @Sendable () -> Int64
  private let state = Mutex(State())

  /// `now` is in milliseconds since 1970.
  package init(
    _ file: TokenFile, now: @escaping @Sendable () -> Int64 = { Int64(MachineClock.wallMilliseconds) }
  ) {
    self.file = file
    self.now = now
  }

  /// The token whose secret a text shows; nil if there is none, or it has expired. Takes the same time for any secret.
  func token(shownBy text: String) -> AccessToken? {
    guard let hash = AccessToken.hash(of: text), let shown = try? SecretBytes(copying: hash) else {
      return nil
    }
    var found: AccessToken?
    for token in current() {
      if let known = try? SecretBytes(copying: token.hash), known.equals(shown) { found = token }
    }
    guard let found, !isExpired(found) else { return nil }
    return found
  }

  /// False if a token has expired, was revoked, or was changed.
  func isValid(_ token: AccessToken) -> Bool {
    !isExpired(token) && current().contains { $0.hash == token.hash && $0.name == token.name }
  }

  /// What a program with a token may do.
  func access(of token: AccessToken) -> RPCAccess {
    let budget = state.withLock { state in
      let budget = state.budgets[token.name] ?? SendBudget()
      state.budgets[token.name] = budget
      return budget
    }
    return RPCAccess(token.scopes, accounts: token.accounts, sends: budget, owner: token.name)
  }

  /// Records the day on which a token was used.
  func noteUse(of token: AccessToken) async {
    let today = now() / Self.day * Self.day
    guard token.usedAt != today else { return }
    // It is only for people who look at the list.
    try? await file.change { tokens in
      if let index = tokens.firstIndex(where: { $0.hash == token.hash }) { tokens[index].usedAt = today }
    }
  }

  private func isExpired(_ token: AccessToken) -> Bool { token.expiresAt.map { $0 <= now() } ?? false }

  /// The tokens in the file; none while it cannot be read.
  private func current() -> [AccessToken] {
    state.withLock { state in
      let version = Self.version(of: file.path)
      guard version != state.version else { return state.tokens }
      // Where the file cannot be read now, the next request tries again.
      guard let tokens = try? file.read() else { return [] }
      state.version = version
      state.tokens = tokens
      let names = Set(state.tokens.map(\.name))
      state.budgets = state.budgets.filter { names.contains($0.key) }
      return state.tokens
    }
  }

  private static func version(of path: String) -> Version? {
    var status = stat()
    guard stat(path, &status) == 0 else { return nil }
    return Version(
      inode: UInt(status.st_ino), size: Int(status.st_size), seconds: status.st_mtim.tv_sec,
      nanoseconds: status.st_mtim.tv_nsec)
  }
}
