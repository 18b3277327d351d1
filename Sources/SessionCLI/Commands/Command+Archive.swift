import Glibc
import SessionBase
import SessionCore
import SessionMessaging
import SessionStorage

extension Command {
  static let archiveCreate = Command(
    name: "archive create",
    summary: "write an account into one encrypted file, for another machine or as a backup",
    discussion: """
      The archive has the messages, contacts, settings and files of the account as they are now; other programs may use the
      account meanwhile. It opens with the recovery phrase of the account, and with a passphrase or key file if you give one.
      It is read again to verify it, before it gets its name. Exit code 65 means that it was written but is not complete; the
      problems are listed. With - it goes to standard output, and is not verified.
      """,
    arguments: [.init(name: "FILE|-", summary: "the file to make; its usual ending is .sessionarchive")],
    options: ArchiveSecrets.options + [
      .init(name: "ask", summary: "also prompt for a passphrase that opens the archive"),
      .init(
        name: "files", value: "all|pictures|none",
        summary: "which files to include: all (the default), profile pictures only, or none"),
      .init(name: "with-disappearing", summary: "include disappearing messages"),
      .init(
        name: "without-seed", summary: "leave out the recovery phrase, and do not let it open the archive"),
      .init(name: "no-compression", summary: "do not compress rows"),
      .init(name: "force", summary: "replace an existing file"), .account, .json,
    ],
    examples: [
      .init(line: "session archive create alice.sessionarchive", summary: "open it with the recovery phrase"),
      .init(
        line: "session archive create --ask --files none small.sessionarchive",
        summary: "open it with a passphrase, too, and leave out the files"),
    ],
    rpc: .none(.needsKeys)
  ) { invocation, io in
    try await cancelledBySignals { try await invocation.createArchive(io) }
  }

  static let archiveVerify = Command(
    name: "archive verify",
    summary: "check an archive, and show what it contains",
    discussion: """
      Reads and decrypts all of it and writes nothing. Without --passphrase-file, --key or --phrase it uses the recovery
      phrase of the account on this machine, or prompts for the passphrase. Exit code 65 means that the archive is damaged,
      or was written with problems.
      """,
    arguments: [.init(name: "FILE", summary: "the archive")],
    options: ArchiveSecrets.opening + [
      .init(name: "header", summary: "show what can be read without a secret"), .account, .json,
    ],
    examples: [
      .init(
        line: "session archive verify alice.sessionarchive",
        summary: "check it with the account on this machine")
    ],
    rpc: .none(.needsKeys)
  ) { invocation, io in
    let file = ArchiveFileReader(path: invocation.arguments[0])
    let header = try await stoppable { _ in try file.header() }
    guard !invocation.has("header") else { return header.output(of: file, asJSON: invocation.has("json")) }
    let secrets = try await ArchiveSecrets(invocation, io).opening(header)
    let reading = try await cancelledBySignals { try await file.read(opening: secrets) }
    let summary = ArchiveSummary(
      path: file.path, manifest: .init(reading.manifest), report: reading.report, bytes: file.bytes)
    return summary.output(asJSON: invocation.has("json"))
  }

  static let archiveShow = Command(
    name: "archive show",
    summary: "print the rows of a table in an archive",
    discussion: """
      One JSON object for each row, with the names of the columns; bytes are {"b":"BASE64"}. 'archive verify' lists the
      tables.
      """,
    arguments: [.init(name: "FILE", summary: "the archive")],
    options: [.init(name: "table", value: "TABLE", summary: "the table", isRequired: true)]
      + ArchiveSecrets.opening + [
        .account
      ],
    examples: [
      .init(
        line: "session archive show alice.sessionarchive --table thread", summary: "show the conversations")
    ],
    rpc: .none(.needsKeys)
  ) { invocation, io in
    let file = ArchiveFileReader(path: invocation.arguments[0])
    let header = try await stoppable { _ in try file.header() }
    let secrets = try await ArchiveSecrets(invocation, io).opening(header)
    let table = invocation.required("table")
    let rows = ArchiveRowPrinter(table, io)
    let reading = try await cancelledBySignals { try await file.read(opening: secrets, visit: rows.take) }
    guard reading.manifest.tables.contains(table) else {
      let nearest =
        nearestName(to: table, among: reading.manifest.tables).map { "; did you mean \($0)?" } ?? ""
      throw CommandFailure.data("the archive has no table \(DisplayText.line(table))\(nearest)")
    }
    return CommandOutput()
  }

  static let archiveKey = Command(
    name: "archive key",
    summary: "make a key file that opens archives",
    discussion: "Keep it apart from the archives: anyone who has both can read the account.",
    arguments: [.init(name: "FILE", summary: "the file to make")],
    examples: [.init(line: "session archive key backup.key", summary: "make a key for backups")],
    rpc: .none(.isLocal)
  ) { invocation, io in
    let path = invocation.arguments[0]
    var key = try SecretBytes.random(count: 32).reveal()
    defer { key.wipe() }
    var digits = Array(key.hex.utf8)
    defer { digits.wipe() }
    let text = SecretText(utf8: try SecretBytes(copying: digits))
    try await WorkerQueue("session.command").run { try io.create(path, text) }
    return CommandOutput(notes: ["The key is in \(path). Keep it secret, and apart from the archives."])
  }
}

extension Invocation {
  fileprivate func createArchive(_ io: CommandIO) async throws -> CommandOutput {
    let path = arguments[0]
    guard path != "-" || !io.isTerminal else { throw misuse("a terminal is no place for an archive") }
    guard path != "-" || !has("json") else { throw misuse("--json needs a file for the archive") }
    guard path == "-" || has("force") || !OpenFile.exists(path) else {
      throw CommandFailure(
        status: .cannotCreate, message: "\(path) already exists",
        advice: "Choose another name, or give --force to replace it.")
    }
    let contents = try archiveContents()
    let (book, folder) = try account(io)
    let creation = try await ArchiveCreation(of: folder, in: book, contents, io) { account in
      try await ArchiveSecrets(self, io).sealing(account)
    }
    guard path != "-" else { return try await creation.write().notes }
    var output = try await creation.write(to: path, replacing: has("force")).output(asJSON: has("json"))
    if creation.secrets.count == 1, case .account = creation.secrets[0] {
      output.notes.append("Only the recovery phrase of the account opens it.")
    }
    return output
  }

  private func archiveContents() throws(CommandFailure) -> ArchiveExport.Contents {
    var contents = ArchiveExport.Contents()
    switch self["files"] ?? "all" {
    case "all": contents.files = .all
    case "pictures": contents.files = .pictures
    case "none": contents.files = .none
    default: throw misuse("--files is all, pictures or none")
    }
    contents.hasDisappearing = has("with-disappearing")
    contents.hasSeed = !has("without-seed")
    contents.isCompressed = !has("no-compression")
    return contents
  }
}

extension ArchiveReport {
  /// What was written to standard output, and what was not.
  fileprivate var notes: CommandOutput {
    var output = CommandOutput()
    let count = rows.reduce(0) { $0 + $1.count }
    output.notes = ["\(count) rows and \(files) files were written."]
    output.notes += problems.map {
      "\($0.kind): \(DisplayText.line($0.item)): \(DisplayText.line($0.detail))"
    }
    output.status = isWhole ? .success : .data
    return output
  }
}

/// Prints the rows of one table, as they are read.
private final class ArchiveRowPrinter: Sendable {
  private let table: String
  private let io: CommandIO
  /// The columns of the rows that come; nil for another table.
  private let columns = Kept<[String]>()

  init(_ table: String, _ io: CommandIO) { (self.table, self.io) = (table, io) }

  @Sendable func take(_ event: ArchiveEvent) throws {
    switch event {
    case .table(let name, let names): columns.value = name == table ? names : nil
    case .row(let row):
      guard let columns = columns.value else { return }
      let object = JSONObject(members: zip(columns, row).map { ($0, $1.json) })
      try io.write(Array("\(object.text)\n".utf8).span)
    default: columns.value = nil
    }
  }
}

extension ArchiveValue {
  fileprivate var json: JSONObject.Value {
    switch self {
    case .null, .invalid: .null
    case .integer(let number): .difference(number)
    case .real(let number): .decimal(number)
    case .text(let text): .string(text)
    case .blob(let bytes): .object(JSONObject(members: [("b", .string(bytes.base64))]))
    }
  }
}

extension ArchiveHeader {
  /// What everybody can read of an archive.
  fileprivate func output(of file: ArchiveFileReader, asJSON isJSON: Bool) -> CommandOutput {
    guard !isJSON else {
      return CommandOutput(json: [
        "type": .string("archive-header"), "path": .string(file.path), "id": .string(id.hex),
        "bytes": .integer(UInt64(file.bytes)), "chunk_size": .integer(UInt64(chunkSize)),
        "slots": .objects(slots.map { JSONObject(members: [("kind", .string($0.name))]) }),
      ])
    }
    return CommandOutput(fields: [
      ("id", .text(id.hex)), ("size", .text(ByteCount.text(Int64(file.bytes)))),
      ("opens with", .text(slots.map(\.name).joined(separator: ", "))),
    ])
  }
}

extension ArchiveHeader.Slot {
  static let names = ["passphrase", "account", "key-file"]

  fileprivate var name: String {
    switch self {
    case .passphrase: Self.names[0]
    case .account: Self.names[1]
    case .keyFile: Self.names[2]
    }
  }
}
