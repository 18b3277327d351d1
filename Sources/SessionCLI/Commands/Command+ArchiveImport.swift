import SessionBase
import SessionStorage

extension Command {
  static let archiveDiscard = Command(
    name: "archive discard",
    summary: "delete what an interrupted import left",
    discussion: """
      An import that was interrupted keeps what it had read, with the messages of the archive, until 'session archive import
      --resume' completes it or this command deletes it. No account changes.
      """,
    arguments: [.init(name: "NAME", summary: "the name of the account that was to be made, or added to")],
    examples: [.init(line: "session archive discard alice", summary: "give an import up")],
    rpc: .none(.needsKeys)
  ) { invocation, io in
    let folder = try AccountBook(io).folder(invocation.arguments[0])
    let unfinished = folder.unfinished(.imported)
    guard unfinished.exists else {
      throw CommandFailure.data("no import into \(folder.name) was interrupted")
    }
    try await AccountDoor.parked(folder, io) {
      try await WorkerQueue("session.archive").run {
        let lock = try AccountLock(folder, purpose: "session archive discard")
        defer { withExtendedLifetime(lock) {} }
        try unfinished.remove()
      }
    }
    await DaemonClient.open(folder.name, io)
    return CommandOutput()
  }

  static let archiveImport = Command(
    name: "archive import",
    summary: "make an account on this machine from an archive, or add the archive to one",
    discussion: """
      The account gets the messages, contacts, settings and files of the archive; the next 'session receive' brings it up to
      date. This machine is a new device of the account. An interrupted import changes no account; --resume continues where
      it stopped, and counts what is there as imported; 'session archive discard' deletes it. Exit code 65 means that the
      import was done but some rows or files could not be taken; they are listed.

      For an account that is on this machine already, --merge adds what it lacks: messages, reactions, files and drafts. What
      it has stays as it is, and messages and conversations that were deleted here stay deleted unless --bring-back is given.
      --replace puts the archive in its place and keeps the old account as NAME.before-TIME, which only 'session account
      delete' removes.
      """,
    arguments: [.init(name: "FILE", summary: "the archive")],
    options: [
      .init(
        name: "as", value: "NAME", summary: "the name of the account; the name in the archive by default"),
      .init(name: "merge", summary: "add it to the account on this machine"),
      .init(name: "bring-back", summary: "with --merge, take messages that were deleted here, too"),
      .init(name: "replace", summary: "put it in the place of the account on this machine, which is kept"),
      .init(name: "resume", summary: "go on with an import that was interrupted"),
      .init(name: "set-passphrase", summary: "prompt for a passphrase for the messages on this machine"),
      .init(name: "new", value: "FILE|-", summary: "with --set-passphrase, a file with the passphrase"),
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
      .init(
        line: "session archive import --merge alice.sessionarchive",
        summary: "add older messages to the account that is here"),
    ],
    rpc: .none(.needsKeys)
  ) { invocation, io in
    try await cancelledBySignals { try await ArchiveImporting(invocation, io).run() }
  }
}
