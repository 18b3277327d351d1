import FoundationEssentials
internal import SessionCore

/// The key of a database under a passphrase, as versions before the slots of ``KeySlots`` wrote it: the key and the salt
/// of its file, encrypted with a key that Argon2id derives from the passphrase.
struct WrappedKey: Hashable, Sendable {
  var cost: PassphraseKey.Cost
  /// The salt of the passphrase.
  var salt: [UInt8]
  /// A nonce and the encrypted key.
  var sealed: [UInt8]

  private static let sealedCount =
    SealedBox.nonceBytes + DatabaseKey.byteCount + DatabaseKey.saltByteCount + SealedBox.tagBytes

  /// Decrypts the key. Throws `wrongPassphrase`, also if the file was changed.
  func open(passphrase: SecretBytes) throws(StorageError) -> DatabaseKey {
    do {
      let wrapping = try PassphraseKey.derive(from: passphrase, salt: salt, cost: cost)
      return try DatabaseKey(try SealedBox.openSecret(sealed, key: wrapping))
    } catch let error as StorageError {
      throw error
    } catch SessionError.Code.decrypt {
      throw StorageError(.wrongPassphrase, "the passphrase is wrong")
    } catch SessionError.Code.noMemory {
      throw StorageError(
        .noMemory, "checking the passphrase takes \(cost.memory >> 20) MiB of memory, which are not available"
      )
    } catch {
      throw StorageError(.keyDamaged, "cannot check the passphrase: \(error)")
    }
  }
}

extension WrappedKey {
  /// The JSON of the file.
  private struct Form: Decodable {
    var v: Int
    var kdf: String
    var ops: UInt32
    var mem: Int
    var salt: String
    var nonce: String
    var wrapped: String
  }

  private static let version = 1
  private static let derivation = "argon2id"

  init(json: [UInt8], path: String) throws(StorageError) {
    guard let form = try? JSONDecoder().decode(Form.self, from: Data(json)) else {
      throw StorageError(.keyDamaged, "\(path) is not a key file, or is damaged")
    }
    guard form.v == Self.version, form.kdf == Self.derivation else {
      throw StorageError(
        .keyDamaged,
        "\(path) is a key file of another version of this program (version \(form.v), \(form.kdf))")
    }
    guard let salt = try? [UInt8](hex: form.salt.utf8), salt.count == PassphraseKey.saltCount,
      let nonce = try? [UInt8](hex: form.nonce.utf8), nonce.count == SealedBox.nonceBytes,
      let wrapped = try? [UInt8](hex: form.wrapped.utf8), nonce.count + wrapped.count == Self.sealedCount
    else {
      throw StorageError(.keyDamaged, "\(path) is damaged: a part of the key has the wrong length")
    }
    self.cost = PassphraseKey.Cost(passes: form.ops, memory: form.mem)
    self.salt = salt
    self.sealed = nonce + wrapped
  }
}
