internal import SessionCore

extension StorageError {
  /// Runs an operation of the core on keys, and translates its errors.
  static func keys<R>(_ what: String, _ body: () throws(SessionError) -> R) throws(StorageError) -> R {
    do {
      return try body()
    } catch {
      throw StorageError(error.code == .noMemory ? .noMemory : .io, "\(what): \(error.message)")
    }
  }
}

extension DatabaseKey {
  /// The key with the salt of the file. A key without a salt cannot be stored.
  func withSalt() throws(StorageError) -> SecretBytes {
    guard secret.count == Self.byteCount + Self.saltByteCount else {
      throw StorageError(
        .wrongKey, "a key is kept together with the salt of its database, which this one lacks")
    }
    return secret
  }
}
