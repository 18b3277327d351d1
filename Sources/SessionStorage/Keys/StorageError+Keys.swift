internal import SessionCore

extension StorageError {
  /// Runs what the core does with keys and their files, and says of its failures what they mean here.
  static func keys<R>(_ what: String, _ body: () throws(SessionError) -> R) throws(StorageError) -> R {
    do {
      return try body()
    } catch {
      let code: Code =
        switch error.code {
        case .fileForbidden: .readOnly
        case .fileUncreatable: .cannotOpen
        case .diskFull: .full
        case .noMemory: .noMemory
        default: .io
        }
      throw StorageError(code, "\(what): \(error.message)")
    }
  }
}

extension DatabaseKey {
  /// The key and the salt of the file. A key without one cannot be kept.
  func withSalt() throws(StorageError) -> SecretBytes {
    guard secret.count == Self.byteCount + Self.saltByteCount else {
      throw StorageError(
        .wrongKey, "a key is kept together with the salt of its database, which this one lacks")
    }
    return secret
  }
}
