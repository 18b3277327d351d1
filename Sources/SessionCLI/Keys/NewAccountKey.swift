import SessionBase
import SessionCore
import SessionDesktop
import SessionStorage

/// What protects the key of an account that is made by a command.
struct NewAccountKey: Sendable {
  let store: UserSettings.KeyStore?
  private let io: CommandIO
  /// True if a person at the terminal of this program may be asked.
  private let isAsking: Bool

  /// `store` is what an option says; the settings decide where there is none.
  init(store: String?, asking isAsking: Bool = true, _ io: CommandIO) throws(CommandFailure) {
    self.io = io
    self.isAsking = isAsking && io.messageColumns() != nil
    guard let store else {
      self.store = io.settings.keyStore
      return
    }
    guard let chosen = UserSettings.KeyStore(rawValue: store) else {
      throw CommandFailure.usage(
        "--key-store is open, passphrase, credential or secret-service, not \(DisplayText.line(store))",
        advice: "'session key move' offers more once the account is there.")
    }
    self.store = chosen
  }

  /// The slot. Asks on a terminal where nothing decides: an empty passphrase means none.
  func slot(for account: AccountFolder) async throws -> NewKeySlot {
    switch store {
    case .open: return .open
    case .passphrase: return .passphrase(try await AccountPassphrase(io: io).new(for: account, from: nil))
    case .credential: return try Self.credential(io)
    case .secretService: return try await secretService()
    case nil:
      if (try? KeyPlaces(io: io).credential(KeyPlaces.credential)) != nil { return try Self.credential(io) }
      if await hasKeyring() {
        do { return try await secretService() } catch let failure as CommandFailure {
          guard isAsking else { throw failure }
          io.tell(failure.message)
        }
      }
      return isAsking ? try await asked(for: account) : .open
    }
  }

  private static func credential(_ io: CommandIO) throws -> NewKeySlot {
    .kept(
      .credential(name: KeyPlaces.credential), try KeyChange.credential(KeyPlaces.credential, from: nil, io))
  }

  private func secretService() async throws -> NewKeySlot {
    let item = try SecretBytes.random(count: 16).reveal().hex
    return .kept(.secretService(item: item), try await KeyChange.secretService(item, asking: isAsking, io))
  }

  /// True if the desktop has a keyring that is open, or that a person at the terminal can open, and the daemon does not
  /// start before that person has logged in.
  private func hasKeyring() async -> Bool {
    guard Bus.sessionAddress(io.environment) != nil, !Lingering.isOn else { return false }
    return await WorkerQueue("session.keys").run {
      guard let store = try? KeyPlaces(io: io).secretService(), let isOpen = try? store.isOpen() else {
        return false
      }
      return isOpen || isAsking
    }
  }

  private func asked(for account: AccountFolder) async throws -> NewKeySlot {
    let question = "Passphrase for the messages on this machine (empty: none): "
    guard var typed = try await io.askSecret(question) else { return .open }
    defer { typed.wipe() }
    guard typed.first.map({ $0 != UInt8(ascii: "\n") }) ?? false else { return .open }
    let passphrase = try AccountPassphrase.firstLine(of: typed)
    guard let again = try await io.askSecret("Repeat the passphrase: "),
      try AccountPassphrase.firstLine(of: again) == passphrase
    else {
      throw CommandFailure.data(
        "the two passphrases differ", advice: "No account was made; run the command again.")
    }
    return .passphrase(passphrase)
  }
}

extension NewKeySlot {
  /// What to know about the protection of a new account.
  var note: String {
    switch self {
    case .open: DatabaseKeys.openWarningWithAdvice
    case .passphrase: "The passphrase opens the messages on this machine; so does the recovery phrase."
    case .recovery, .kept:
      "The messages on this machine are opened by: \(kind.rawValue), and the recovery phrase."
    }
  }
}
