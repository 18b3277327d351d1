import Glibc
import SessionBase
import SessionCore
import SessionStorage

/// A backup of an account by its plan.
struct BackupRun: Sendable {
  let book: AccountBook
  let account: AccountFolder
  let plan: BackupPlan
  let io: CommandIO

  /// What was written, and what was removed then.
  struct Outcome: Sendable {
    let summary: ArchiveSummary
    let removed: [String]
  }

  private var folder: BackupFolder { BackupFolder(plan.folder, of: account) }

  /// Writes an archive, verifies it, and removes what the plan does not keep. It removes nothing if the new archive is not
  /// whole.
  func run() async throws -> Outcome {
    try folder.require()
    let lock = try folder.locked()
    defer { withExtendedLifetime(lock) {} }
    let now = Int64(clamping: io.now())
    let before = try folder.entries()
    let entry = folder.entry(at: now, hasFiles: BackupFolder.isFullDue(before, plan, at: now))
    var contents = ArchiveExport.Contents()
    contents.files = entry.hasFiles ? .all : .none
    let creation = try await ArchiveCreation(of: account, in: book, contents, io) { account in
      [.account(account)] + (try passphrase())
    }
    var summary = try await creation.write(to: folder.path(of: entry))
    guard summary.report.isWhole else {
      summary.path = try folder.markIncomplete(entry)
      return Outcome(summary: summary, removed: [])
    }
    var removed: [String] = []
    for old in BackupFolder.surplus(try folder.entries(), plan, at: now) where old != entry {
      // What does not open with the key of the account is somebody else's.
      let file = ArchiveFileReader(path: folder.path(of: old))
      guard let manifest = try? await file.manifest(opening: [.account(creation.account)]),
        manifest.account == creation.account.id.description
      else { continue }
      guard unlink(file.path) == 0 else {
        throw CommandFailure(
          status: .io,
          message: "cannot remove \(DisplayText.line(old.name)): \(String(cString: strerror(errno)))")
      }
      removed.append(old.name)
    }
    return Outcome(summary: summary, removed: removed)
  }

  private func passphrase() throws -> [ArchiveSecret] {
    guard let path = plan.passphraseFile else { return [] }
    var text = try io.readSecret(path, upTo: InputLimits.passphrase)
    defer { text.wipe() }
    return [try ArchiveSecret(passphrase: text.prefix { $0 != UInt8(ascii: "\n") })]
  }
}
