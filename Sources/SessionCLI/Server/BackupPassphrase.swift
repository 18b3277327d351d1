import SessionCore

/// The source of a backup's passphrase: a file that an option names, or the terminal.
struct BackupPassphrase: Sendable {
  let path: String?
  let io: CommandIO

  /// A passphrase that is to be set: the first line of the file, or what the person at the terminal types twice.
  func new() async throws -> SecretBytes {
    let first = try await asked("Passphrase of the backup: ")
    guard first.count > 0 else {
      throw CommandFailure.data("the passphrase is empty", advice: "Give --plain for a backup without one.")
    }
    if path == nil {
      guard try await asked("Repeat the passphrase: ") == first else {
        throw CommandFailure.data(
          "the two passphrases differ", advice: "Nothing was written; run the command again.")
      }
    }
    return first
  }

  /// The passphrase of a backup that is there.
  func known() async throws -> SecretBytes { try await asked("Passphrase of the backup: ") }

  private func asked(_ question: String) async throws -> SecretBytes {
    if let path {
      return try AccountPassphrase.firstLine(of: try io.readSecret(path, upTo: InputLimits.passphrase))
    }
    guard let typed = try await io.askSecret(question) else {
      throw CommandFailure.usage(
        "no terminal to prompt for the passphrase",
        advice: "Give --passphrase FILE, or --passphrase - for standard input.")
    }
    return try AccountPassphrase.firstLine(of: typed)
  }
}
