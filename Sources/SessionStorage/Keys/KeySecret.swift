public import SessionCore

/// A secret that opens the key of an account's database.
public enum KeySecret: Sendable {
  case passphrase(SecretBytes)
  /// The key itself, which another program or place has opened.
  case key(DatabaseKey)
}

extension DatabaseKey {
  /// The key as another process of this user receives it: it is never written to a disk like this.
  package func handedOver() throws(StorageError) -> SecretBytes { try withSalt() }
}

/// A slot that is to be added to the key of a database.
public enum NewKeySlot: Sendable {
  case open
  case passphrase(SecretBytes)
  case recovery(Account)
  /// The key that encrypts the slot is kept where the lock says.
  case kept(KeySlot.Lock, SecretBytes)

  /// The name under which the Secret Service keeps something for the key; nil where it does not.
  var keyID: [UInt8]? {
    guard case .kept(.secretService(let item), _) = self, let id = try? [UInt8](hex: item.utf8),
      id.count == KeySlots.idCount
    else { return nil }
    return id
  }

  public var kind: KeySlot.Kind {
    switch self {
    case .open: .open
    case .passphrase: .passphrase
    case .recovery: .recovery
    case .kept(let lock, _): lock.kind
    }
  }
}
