import SessionBase
import SessionCore
import SessionMessaging
import SessionStorage

extension Command {
  static let archiveImport = Command(
    name: "archive import",
    summary: "make an account on this machine from an archive",
    discussion: """
      The account gets the messages, contacts, settings and files of the archive; the next 'session receive' brings it up to
      date. This machine is a new device of the account. An interrupted import makes no account; --resume continues where it
      stopped, and counts what is there as imported. Exit code 65 means that the account was made but some rows or files could
      not be taken; they are listed.
      """,
    arguments: [.init(name: "FILE", summary: "the archive")],
    options: [
      .init(
        name: "as", value: "NAME", summary: "the name of the account; the name in the archive by default"),
      .init(name: "resume", summary: "go on with an import that was interrupted"),
      .init(
        name: "network", value: "NETWORK",
        summary:
          "the private network of the account: devnet, or the path of a network file"),
    ] + ArchiveSecrets.opening + [.json],
    examples: [
      .init(
        line: "session archive import alice.sessionarchive", summary: "type the recovery phrase at a prompt"),
      .init(
        line: "session archive import --as old --key backup.key alice.sessionarchive",
        summary: "give it another name, and open it with a key file"),
    ],
    rpc: .none(.needsKeys)
  ) { invocation, io in
    try await cancelledBySignals { try await ArchiveImporting(invocation, io).run() }
  }
}

/// The command `archive import`.
private struct ArchiveImporting: Sendable {
  private let invocation: Invocation
  private let io: CommandIO
  private let file: ArchiveFileReader

  init(_ invocation: Invocation, _ io: CommandIO) {
    self.invocation = invocation
    self.io = io
    file = ArchiveFileReader(path: invocation.arguments[0])
  }

  func run() async throws -> CommandOutput {
    let header = try await stoppable { _ in try file.header() }
    let secrets = try await ArchiveSecrets(invocation, io).importing(header)
    let manifest = try await file.manifest(opening: secrets)
    let account = try account(of: manifest)
    let book = try AccountBook(io)
    let folder = try book.folder(invocation["as"] ?? manifest.name)
    let network = try network(of: manifest)
    try await refuseDuplicate(of: account, folder, in: book)
    let continues = invocation.has("resume")
    // Before there is an account: a daemon opens it at once.
    try await WorkerQueue("session.command").run { try book.setNetwork(network, of: folder) }
    let report: ArchiveReport
    do {
      report = try await stoppable { stop in
        let next = try file.pieces(until: stop)
        return try Messenger.importArchive(
          header, manifest, of: account, into: folder, opening: secrets, continuing: continues, next: next)
      }
    } catch let error as MessengerError where error.code == .accountExists {
      // Another process was faster: what is there is its own.
      throw error
    } catch let error as StorageError where [.locked, .duplicate].contains(error.code) {
      throw error
    } catch {
      await WorkerQueue("session.command").run { book.forget(folder) }
      throw error
    }
    await DaemonClient.open(folder.name, io)
    let summary = ArchiveSummary(
      path: file.path, manifest: .init(manifest), report: report, bytes: file.bytes)
    var output = summary.output(asJSON: invocation.has("json"))
    output.notes = [
      "The account \(folder.name) is on this machine, in the network \(network.text).",
      OpenKeyFile.warningWithAdvice,
    ]
    return output
  }

  /// The account of the archive: from its recovery phrase, or from the words that were given.
  private func account(of manifest: ArchiveManifest) throws -> Account {
    if let seed = manifest.seed { return try Account(archiveSeed: seed) }
    guard let path = invocation["phrase"] else {
      throw CommandFailure(
        status: .configuration, message: "the archive has no recovery phrase",
        advice: "Give the phrase of the account with --phrase FILE.")
    }
    let account = try io.account(from: path)
    guard account.id.description == manifest.account else {
      throw CommandFailure.data("the recovery phrase is that of another account than the archive's")
    }
    return account
  }

  private func network(of manifest: ArchiveManifest) throws -> AccountNetwork {
    let network = invocation["network"].map { AccountNetwork($0, folder: io.environment["PWD"]) }
    let usual: AccountNetwork? =
      switch manifest.network {
      case "main": .main
      case "test": .test
      default: nil
      }
    guard let network = network ?? usual else {
      throw CommandFailure.data(
        "the archive is from a private network", advice: "Name it: --network devnet, or --network FILE.")
    }
    guard try network.archiveName(io: io) == manifest.network else {
      throw CommandFailure.data("the archive is from another network than \(network.text)")
    }
    return network
  }

  /// Throws if the name, or the account, is on this machine already.
  private func refuseDuplicate(of account: Account, _ folder: AccountFolder, in book: AccountBook)
    async throws
  {
    for other in try book.all() {
      // One that needs its passphrase is not asked for it.
      let phrase = try? await Messenger.recoveryPhrase(of: other)
      guard let phrase, try Account(phrase).id == account.id else { continue }
      throw CommandFailure(
        status: .cannotCreate, message: "the account of the archive is on this machine, as \(other.name)",
        advice: "To replace it, delete it first: session account delete \(other.name)", detail: .accountExists
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
