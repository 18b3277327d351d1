import SessionCore
import SessionStorage

/// The passphrase that the service manager hands to the daemon in a file which no other program can read.
struct ServiceCredential: Sendable {
  /// The variable that names the folder of such files.
  static let variable = "CREDENTIALS_DIRECTORY"
  /// The name by which the unit loads it.
  static let name = "session.passphrase"

  let io: CommandIO

  /// The passphrase; nil if there is none.
  func passphrase() throws -> SecretBytes? {
    guard let folder = io.environment[Self.variable], folder.hasPrefix("/") else { return nil }
    var bytes: [UInt8]
    do throws(SessionError) { bytes = try io.read("\(folder)/\(Self.name)", InputLimits.passphrase) } catch {
      guard error.code == .fileUnreadable else { throw error }
      return nil
    }
    defer { bytes.wipe() }
    return try SecretBytes(copying: Array(bytes.prefix { $0 != UInt8(ascii: "\n") }))
  }
}

extension ServiceCredential {
  /// The passphrase to open an account with; nil where none is needed, or this session knows the key. Throws
  /// `passphraseNeeded` if a person has to give it, because there is no other one or it is wrong.
  func needed(for account: AccountFolder) throws -> SecretBytes? {
    let keys = DatabaseKeys(path: account.key)
    do throws(StorageError) {
      _ = try keys.load()
      return nil
    } catch {
      guard error.code == .passphraseNeeded, let passphrase = try passphrase() else { throw error }
      do throws(StorageError) { try keys.test(passphrase) } catch let failure {
        guard failure.code == .wrongPassphrase else { throw failure }
        io.tell("the credential \(Self.name) is not the passphrase of an account, which stays locked")
        throw error
      }
      return passphrase
    }
  }
}
