import SessionCore
import SessionStorage

/// The source of an account's passphrase.
struct AccountPassphrase: Sendable {
  /// The variable that names a file whose first line is the passphrase.
  static let variable = "SESSION_PASSPHRASE_FILE"

  let io: CommandIO

  /// A passphrase that is to be set: the first line of a file, or else what the person at the terminal types twice.
  func new(for account: AccountFolder, from path: String?) async throws -> SecretBytes {
    if let given = io.given { return try given.requiredNew() }
    if let path { return try Self.filled(try io.readSecret(path, upTo: InputLimits.passphrase)) }
    guard let typed = try await io.askSecret("New passphrase of \(account.name): ") else {
      throw CommandFailure.usage(
        "no terminal to prompt for the new passphrase",
        advice: "Give --new FILE, or --new - for standard input.")
    }
    let first = try Self.filled(typed)
    guard let again = try await io.askSecret("Repeat the passphrase: "),
      try Self.firstLine(of: again) == first
    else {
      throw CommandFailure.data(
        "the two passphrases differ", advice: "Nothing was changed; run the command again.")
    }
    return first
  }

  private static func filled(_ text: [UInt8]) throws -> SecretBytes {
    guard let first = text.first, first != UInt8(ascii: "\n") else {
      throw CommandFailure.data(
        "the new passphrase is empty", advice: "To remove the passphrase, run: session db passphrase remove")
    }
    return try firstLine(of: text)
  }

  /// The passphrase from the file in the environment, or from a prompt.
  func asked(_ question: String) async throws -> SecretBytes {
    if let given = io.given { return try given.requiredPassphrase() }
    if let path = io.environment[Self.variable], !path.isEmpty {
      return try Self.firstLine(of: try io.readSecret(path, upTo: InputLimits.passphrase))
    }
    guard let typed = try await io.askSecret(question) else {
      throw CommandFailure(
        status: .configuration,
        message: "the account needs its passphrase, and there is no terminal to prompt on",
        advice: "Set \(Self.variable) to a file with the passphrase that only you can read.")
    }
    return try Self.firstLine(of: typed)
  }

  static func firstLine(of text: [UInt8]) throws(SessionError) -> SecretBytes {
    var text = text
    defer { text.wipe() }
    let end = text.firstIndex(of: UInt8(ascii: "\n")) ?? text.count
    return try SecretBytes(copying: Array(text[..<end]))
  }
}

extension DatabaseKeys {
  /// The warning, and what to do about it.
  static var openWarningWithAdvice: String { openWarning + "; 'session db passphrase set' sets one" }
}
