import SessionBase
import SessionCore
import SessionMessaging
import SessionStorage

/// The secrets that options name, for archives that are made or opened.
struct ArchiveSecrets: Sendable {
  private let invocation: Invocation
  private let io: CommandIO

  static let options: [Command.Option] = [
    .init(
      name: "passphrase-file", value: "FILE|-",
      summary: "the passphrase of the archive: the first line of this file"),
    .init(name: "key", value: "FILE", summary: "a key file of 'session archive key'"),
  ]

  static let opening =
    options + [
      .init(name: "phrase", value: "FILE|-", summary: "a file with the recovery phrase of the account")
    ]

  private let phrase: GivenPhrase

  init(_ invocation: Invocation, _ io: CommandIO) {
    (self.invocation, self.io) = (invocation, io)
    phrase = GivenPhrase(invocation["phrase"], io)
  }

  /// The passphrase and the key file, where the options give them.
  func given() throws -> [ArchiveSecret] {
    var secrets: [ArchiveSecret] = []
    if let path = invocation["passphrase-file"] {
      secrets.append(try Self.passphrase(io.readSecret(path, upTo: InputLimits.passphrase)))
    }
    if let path = invocation["key"] { secrets.append(try key(in: path)) }
    return secrets
  }

  /// Those for a new archive of an account.
  func sealing(_ account: Account) async throws -> [ArchiveSecret] {
    var secrets = try given()
    if invocation.has("ask") {
      guard invocation["passphrase-file"] == nil else {
        throw invocation.misuse("give --ask or --passphrase-file, not both")
      }
      guard let typed = try await io.askSecret("Passphrase of the archive: "),
        let again = try await io.askSecret("Repeat the passphrase: ")
      else {
        throw invocation.misuse("no terminal to prompt on: give --passphrase-file FILE")
      }
      guard typed == again else {
        throw CommandFailure.data(
          "the two passphrases differ", advice: "Nothing was written; run the command again.")
      }
      secrets.append(try Self.passphrase(typed))
    }
    guard !invocation.has("without-seed") else {
      // The recovery phrase is what is kept apart.
      guard !secrets.isEmpty else {
        throw invocation.misuse("--without-seed needs a passphrase or a key file")
      }
      return secrets
    }
    return [.account(account)] + secrets
  }

  /// Returns the secrets that may open an archive: the ones given as options, else those of the accounts on this machine,
  /// else a passphrase from a prompt.
  func opening(_ header: ArchiveHeader) async throws -> [ArchiveSecret] {
    var secrets = try given()
    if let account = try await phrase.given() { secrets.append(.account(account)) }
    guard secrets.isEmpty else { return secrets }
    if header.slots.contains(.account), let account = try await ownAccount() { return [.account(account)] }
    let hasPassphrase = header.slots.contains { if case .passphrase = $0 { true } else { false } }
    guard hasPassphrase, let typed = try await io.askSecret("Passphrase of the archive: ") else {
      throw CommandFailure(
        status: .configuration, message: "the archive needs a secret",
        advice: "Give --passphrase-file, --key or --phrase, or --account NAME for an account of this machine."
      )
    }
    return [try Self.passphrase(typed)]
  }

  /// Returns the secrets that may open an archive whose account need not be on this machine: the ones given as options, else
  /// those from a prompt.
  func importing(_ header: ArchiveHeader) async throws -> [ArchiveSecret] {
    var secrets = try given()
    // The phrase of an archive that it does not open is that of its account.
    if let account = try await phrase.given(), header.slots.contains(.account) {
      secrets.append(.account(account))
    }
    guard secrets.isEmpty else { return secrets }
    if header.slots.contains(.account), let account = try await phrase.asked() { return [.account(account)] }
    guard let typed = try await io.askSecret("Passphrase of the archive: ") else {
      throw CommandFailure(
        status: .configuration, message: "the archive needs a secret",
        advice: "Give --phrase, --passphrase-file or --key.")
    }
    return [try Self.passphrase(typed)]
  }

  /// The account of an archive without its seed: its phrase comes from an option or a prompt. Nil without either.
  func account() async throws -> Account? {
    if let account = try await phrase.given() { return account }
    return try await phrase.asked()
  }

  /// The account that the options or settings mean; nil if there is none.
  private func ownAccount() async throws -> Account? {
    let book = try AccountBook(io)
    let hasAccounts = try !book.all().isEmpty
    guard invocation["account"] != nil || hasAccounts else { return nil }
    let folder = try book.account(named: invocation["account"])
    let secret = try await AccountKey(io: io).needed(for: folder)
    return try Account(try await Messenger.recoveryPhrase(of: folder, secret: secret))
  }

  private static func passphrase(_ text: [UInt8]) throws -> ArchiveSecret {
    var text = text
    defer { text.wipe() }
    let line = text.prefix { $0 != UInt8(ascii: "\n") }
    guard !line.isEmpty else { throw CommandFailure.data("the passphrase is empty") }
    return try ArchiveSecret(passphrase: line)
  }

  private func key(in path: String) throws -> ArchiveSecret {
    var text = try io.readSecret(path, upTo: 128)
    defer { text.wipe() }
    let digits = text.last == UInt8(ascii: "\n") ? text.dropLast() : text[...]
    guard digits.count == 64, var key = try? [UInt8](hex: digits) else {
      throw CommandFailure.data(
        "\(path) is not a key file", advice: "To make one, run: session archive key FILE")
    }
    defer { key.wipe() }
    return .keyFile(try SecretBytes(copying: key))
  }
}

/// The recovery phrase of an option, which is read once: standard input has it only once.
private actor GivenPhrase {
  private let path: String?
  private let io: CommandIO
  private var account: Account?

  init(_ path: String?, _ io: CommandIO) { (self.path, self.io) = (path, io) }

  func given() throws -> Account? {
    guard account == nil, let path else { return account }
    account = try io.account(from: path)
    return account
  }

  /// The account of the words from a prompt; nil if there is no terminal.
  func asked() async throws -> Account? {
    guard var typed = try await io.askSecret("The 13 words of the recovery phrase: ") else { return nil }
    defer { typed.wipe() }
    return try Account(RecoveryPhrase(parsing: typed))
  }
}
