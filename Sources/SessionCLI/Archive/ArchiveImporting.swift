import SessionBase
import SessionCore
import SessionMessaging
import SessionStorage

/// The command `archive import`.
struct ArchiveImporting: Sendable {
  /// What becomes of an account that is here already.
  private enum Mode: Sendable {
    case new
    case merge
    case replace
  }

  private let invocation: Invocation
  private let io: CommandIO
  private let file: ArchiveFileReader
  private let mode: Mode

  init(_ invocation: Invocation, _ io: CommandIO) throws {
    self.invocation = invocation
    self.io = io
    file = ArchiveFileReader(path: invocation.arguments[0])
    let (merges, replaces) = (invocation.has("merge"), invocation.has("replace"))
    guard !merges || !replaces else { throw invocation.misuse("give --merge or --replace, not both") }
    guard merges || !invocation.has("bring-back") else {
      throw invocation.misuse("--bring-back needs --merge")
    }
    guard !merges || !invocation.has("set-passphrase") else {
      throw invocation.misuse("--set-passphrase is for an account that is made; --merge makes none")
    }
    guard invocation.has("set-passphrase") || invocation["new"] == nil else {
      throw invocation.misuse("--new needs --set-passphrase")
    }
    mode = merges ? .merge : replaces ? .replace : .new
  }

  func run() async throws -> CommandOutput {
    let header = try await stoppable { _ in try file.header() }
    let given = ArchiveSecrets(invocation, io)
    let secrets = try await given.importing(header)
    let manifest = try await file.manifest(opening: secrets)
    let account = try await account(of: manifest, given)
    let book = try AccountBook(io)
    let (folder, key) = try await folder(for: account, manifest, book)
    let network = try network(of: manifest, for: folder, book)
    let now = Int64(clamping: io.now())
    let old = try folder.replaced(at: now)
    let place: AccountImport.Place
    switch (mode, key) {
    case (.merge, let key?): place = .addition(key, bringingBack: invocation.has("bring-back"))
    case (.replace, _): place = .replacement(keeping: old)
    default: place = .new
    }
    var importing = AccountImport(of: header, manifest, for: account, into: folder, as: place, at: now)
    importing.isContinuing = invocation.has("resume")
    if invocation.has("set-passphrase") {
      importing.passphrase = try await AccountPassphrase(io: io).new(for: folder, from: invocation["new"])
    }
    let outcome = try await AccountDoor.parked(folder, io) { [importing] in
      try await stoppable { stop in
        try importing.run(opening: secrets, next: try file.pieces(until: stop)) {
          try book.setNetwork(network, of: folder)
          if mode == .replace { try book.setNetwork(network, of: old) }
        }
      }
    }
    await DaemonClient.open(folder.name, io)
    let summary = ArchiveSummary(
      path: file.path, manifest: .init(manifest), report: outcome.report, bytes: file.bytes,
      merged: outcome.merged)
    var output = summary.output(asJSON: invocation.has("json"))
    output.notes = notes(folder, old, network)
    return output
  }

  private func notes(_ folder: AccountFolder, _ old: AccountFolder, _ network: AccountNetwork) -> [String] {
    guard mode != .merge else { return ["The archive was added to the account \(folder.name)."] }
    var notes = ["The account \(folder.name) is on this machine, in the network \(network.text)."]
    if mode == .replace {
      notes.append("The old one is kept as \(old.name); 'session account delete \(old.name)' deletes it.")
    }
    if !invocation.has("set-passphrase") { notes.append(DatabaseKeys.openWarningWithAdvice) }
    return notes
  }

  /// The account of the archive: from its recovery phrase, or from the words that were given.
  private func account(of manifest: ArchiveManifest, _ given: ArchiveSecrets) async throws -> Account {
    if let seed = manifest.seed { return try Account(archiveSeed: seed) }
    guard let account = try await given.account() else {
      throw CommandFailure(
        status: .configuration, message: "the archive has no recovery phrase",
        advice: "Give the phrase of the account with --phrase FILE.")
    }
    guard account.id.description == manifest.account else {
      throw CommandFailure.data("the recovery phrase is that of another account than the archive's")
    }
    return account
  }

  private func network(
    of manifest: ArchiveManifest, for folder: AccountFolder, _ book: AccountBook
  ) throws -> AccountNetwork {
    let network = invocation["network"].map { AccountNetwork($0, folder: io.environment["PWD"]) }
    let usual: AccountNetwork? =
      switch manifest.network {
      case "main": .main
      case "test": .test
      default: nil
      }
    let own = mode == .new ? nil : try book.network(of: folder, io: io)
    guard let network = network ?? own ?? usual else {
      throw CommandFailure.data(
        "the archive is from a private network", advice: "Name it: --network devnet, or --network FILE.")
    }
    guard try network.archiveName(io: io) == manifest.network else {
      throw CommandFailure.data("the archive is from another network than \(network.text)")
    }
    return network
  }

  // MARK: - The account on this machine

  /// The account that the archive goes to, with its key if it is here already.
  private func folder(
    for account: Account, _ manifest: ArchiveManifest, _ book: AccountBook
  ) async throws -> (AccountFolder, DatabaseKey?) {
    if mode == .new {
      let folder = try book.folder(invocation["as"] ?? manifest.name)
      try await refuseDuplicate(of: account, folder, in: book)
      return (folder, nil)
    }
    let folder = try await found(account, invocation["as"], manifest.name, in: book)
    let opening = AccountKey(io: io)
    let key = try await opening.key(of: folder)
    let phrase = try await Messenger.recoveryPhrase(
      of: folder, secret: try await opening.needed(for: folder))
    guard try Account(phrase).id == account.id else {
      throw CommandFailure(
        status: .cannotCreate, message: "\(folder.name) is another account than that of the archive",
        advice: "Choose another name: --as NAME", detail: .nameTaken)
    }
    return (folder, key)
  }

  /// The account on this machine: the one that is named, or else the one of the archive's account.
  private func found(
    _ account: Account, _ name: String?, _ usual: String, in book: AccountBook
  ) async throws -> AccountFolder {
    if let name { return try book.account(named: name) }
    if let folder = try await known(account, in: book) { return folder }
    guard let folder = try? book.folder(usual), folder.exists else {
      throw CommandFailure(
        status: .configuration, message: "the account of the archive is not on this machine",
        advice: "Give neither --merge nor --replace to make it.")
    }
    return folder
  }

  /// An account of this machine with the same id. One that needs its passphrase is not asked for it.
  private func known(_ account: Account, in book: AccountBook) async throws -> AccountFolder? {
    for other in try book.all() where !other.wasReplaced {
      let phrase = try? await Messenger.recoveryPhrase(of: other)
      if let phrase, try Account(phrase).id == account.id { return other }
    }
    return nil
  }

  /// Throws if the name, or the account, is on this machine already.
  private func refuseDuplicate(of account: Account, _ folder: AccountFolder, in book: AccountBook)
    async throws
  {
    if let other = try await known(account, in: book) {
      throw CommandFailure(
        status: .cannotCreate, message: "the account of the archive is on this machine, as \(other.name)",
        advice: "--merge adds what it lacks; --replace puts the archive in its place.", detail: .accountExists
      )
    }
    guard folder.exists else { return }
    throw CommandFailure(
      status: .cannotCreate, message: "another account on this machine has the name \(folder.name)",
      advice: "Choose another name: --as NAME", detail: .nameTaken)
  }
}

extension Account {
  /// The account of the seed in an archive. Throws for one that no recovery phrase gives.
  fileprivate init(archiveSeed seed: SecretBytes) throws {
    var bytes = seed.reveal()
    defer { bytes.wipe() }
    // A recovery phrase has half of the seed, and the rest is zero.
    let half = bytes.count / 2
    guard bytes[half...].allSatisfy({ $0 == 0 }) else {
      throw CommandFailure.data("no recovery phrase gives the account of the archive")
    }
    self = try Account(seed: SecretBytes(copying: Array(bytes[..<half])))
  }
}
