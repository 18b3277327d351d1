import SessionCore
import SessionStorage

/// Where the passphrase of an account comes from, when one protects it.
struct AccountPassphrase: Sendable {
  /// The variable that names a file whose first line is the passphrase.
  static let variable = "SESSION_PASSPHRASE_FILE"

  let io: CommandIO

  /// The passphrase to open an account with; nil where none is needed, or this session of the user knows the key.
  func needed(for account: AccountFolder) throws -> SecretBytes? {
    let keys = DatabaseKeys(path: account.key, name: account.name)
    do throws(StorageError) {
      _ = try keys.load()
      return nil
    } catch {
      guard error.code == .passphraseNeeded else { throw error }
    }
    return try asked("Passphrase of \(account.name): ")
  }

  /// What the file of the environment says, or else the person at the terminal.
  func asked(_ question: String) throws -> SecretBytes {
    if let path = io.environment[Self.variable], !path.isEmpty {
      return try Self.firstLine(of: try io.read(path, InputLimits.passphrase))
    }
    guard let typed = try io.askSecret(question) else {
      throw CommandFailure(
        status: .configuration,
        message: "the account is protected by a passphrase, and there is nobody to ask",
        advice: "Name a file that has it, for you alone to read, in \(Self.variable).")
    }
    return try Self.firstLine(of: typed)
  }

  private static func firstLine(of text: [UInt8]) throws(SessionError) -> SecretBytes {
    var text = text
    defer { text.wipe() }
    let end = text.firstIndex(of: UInt8(ascii: "\n")) ?? text.count
    return try SecretBytes(copying: Array(text[..<end]))
  }
}
