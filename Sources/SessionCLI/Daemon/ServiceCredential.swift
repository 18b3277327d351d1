import SessionBase
import SessionCore
import SessionStorage

/// The passphrase that the service manager hands to the daemon in a file which no other program can read.
struct ServiceCredential: Sendable {
  /// The variable that names the folder of such files.
  static let variable = "CREDENTIALS_DIRECTORY"
  /// The name by which the unit loads it.
  static let name = "session.passphrase"

  let io: CommandIO

  /// The content of a credential; nil if there is none.
  func content(_ name: String) throws(SessionError) -> [UInt8]? {
    guard let folder = io.environment[Self.variable], folder.hasPrefix("/") else { return nil }
    do throws(SessionError) { return try io.read("\(folder)/\(name)", InputLimits.passphrase) } catch {
      guard error.code == .fileUnreadable else { throw error }
      return nil
    }
  }

  /// The passphrase; nil if there is none.
  func passphrase() throws -> SecretBytes? {
    guard var bytes = try content(Self.name) else { return nil }
    defer { bytes.wipe() }
    return try SecretBytes(copying: Array(bytes.prefix { $0 != UInt8(ascii: "\n") }))
  }
}

extension ServiceCredential {
  /// What opens an account; nil where nothing is needed, or this session knows the key. Throws `passphraseNeeded` if a
  /// person has to help, because no place has the key, and there is no passphrase or it is wrong.
  func needed(for account: AccountFolder) async throws -> KeySecret? {
    do {
      return try await AccountKey(io: io).unattended(for: account)
    } catch let error as StorageError where error.code == .passphraseNeeded {
      let keys = DatabaseKeys(path: account.key)
      guard try keys.hasPassphrase(), let passphrase = try passphrase() else { throw error }
      do {
        return .key(try await WorkerQueue.passphrases.run { try keys.unlock(passphrase) })
      } catch let failure as StorageError {
        guard failure.code == .wrongPassphrase else { throw failure }
        io.tell("the credential \(Self.name) is not the passphrase of an account, which stays locked")
        throw error
      }
    }
  }
}
