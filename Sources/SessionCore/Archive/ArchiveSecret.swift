internal import CSessionCore

/// What opens an archive.
public enum ArchiveSecret: Sendable {
  case passphrase(SecretBytes)
  /// An account, whose recovery phrase opens its archives.
  case account(Account)
  /// The 32 bytes of a key file.
  case keyFile(SecretBytes)

  /// The cost of a passphrase in new archives.
  private static let cost = sc_passphrase_cost(passes: 3, memory: 256 << 20)

  func core(in arena: CoreArena) -> sc_archive_secret {
    switch self {
    case .passphrase(let secret):
      sc_archive_secret(kind: SC_ARCHIVE_SLOT_PASSPHRASE, value: arena.bytes(secret), cost: Self.cost)
    case .account(let account):
      sc_archive_secret(
        kind: SC_ARCHIVE_SLOT_ACCOUNT, value: account.withSeed { arena.bytes($0.content) },
        cost: sc_passphrase_cost())
    case .keyFile(let secret):
      sc_archive_secret(
        kind: SC_ARCHIVE_SLOT_KEY_FILE, value: arena.bytes(secret), cost: sc_passphrase_cost())
    }
  }
}
