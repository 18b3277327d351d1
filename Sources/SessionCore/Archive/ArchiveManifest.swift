internal import CSessionCore

/// The list of contents at the beginning of an archive.
public struct ArchiveManifest: Sendable {
  /// Which files travel.
  public enum Files: UInt32, Sendable, CaseIterable {
    case all
    case pictures
    case none
  }

  /// The account's id, in hexadecimal.
  public var account: String
  public var name: String
  /// `main`, `test`, or the key of a private network's operator.
  public var network: String
  /// The account's Ed25519 seed; nil if it does not travel.
  public var seed: SecretBytes?
  /// Milliseconds since 1970.
  public var created: Int64
  public var program: String
  /// The number of the database's last migration.
  public var schema: Int64
  public var tables: [String]
  /// The highest row number that each table has ever used.
  public var sequences: [(table: String, number: Int64)]
  public var files: Files
  public var hasDisappearing: Bool
  /// For progress only.
  public var estimatedRows: Int64
  public var estimatedFileBytes: Int64

  public init(
    account: String, name: String, network: String, seed: SecretBytes?, created: Int64, program: String,
    schema: Int64, tables: [String], sequences: [(table: String, number: Int64)], files: Files,
    hasDisappearing: Bool, estimatedRows: Int64, estimatedFileBytes: Int64
  ) {
    self.account = account
    self.name = name
    self.network = network
    self.seed = seed
    self.created = created
    self.program = program
    self.schema = schema
    self.tables = tables
    self.sequences = sequences
    self.files = files
    self.hasDisappearing = hasDisappearing
    self.estimatedRows = estimatedRows
    self.estimatedFileBytes = estimatedFileBytes
  }

  init(_ core: sc_archive_manifest) throws(SessionError) {
    account = core.account.string
    name = core.name.string
    network = core.network.string
    seed =
      if let bytes = core.seed {
        try SecretBytes(copying: UnsafeBufferPointer(start: bytes, count: Int(SC_ARCHIVE_SEED_BYTES)))
      } else {
        nil
      }
    created = core.created
    program = core.program.string
    schema = core.schema
    tables = UnsafeBufferPointer(start: core.tables, count: core.table_count).map(\.string)
    sequences = UnsafeBufferPointer(start: core.sequences, count: core.sequence_count).map {
      ($0.table.string, $0.number)
    }
    files = Files(rawValue: core.files.rawValue) ?? .all
    hasDisappearing = core.disappearing
    estimatedRows = core.estimated_rows
    estimatedFileBytes = core.estimated_file_bytes
  }

  func core(in arena: CoreArena) -> sc_archive_manifest {
    var core = sc_archive_manifest()
    core.account = arena.text(account)
    core.name = arena.text(name)
    core.network = arena.text(network)
    core.seed = arena.bytes(seed).ptr
    core.created = created
    core.program = arena.text(program)
    core.schema = schema
    core.tables = arena.list(tables.map { arena.text($0) })
    core.table_count = tables.count
    core.sequences = arena.list(
      sequences.map { sc_archive_sequence(table: arena.text($0.table), number: $0.number) })
    core.sequence_count = sequences.count
    core.files = sc_archive_files(rawValue: files.rawValue)
    core.disappearing = hasDisappearing
    core.all_conversations = true
    core.estimated_rows = estimatedRows
    core.estimated_file_bytes = estimatedFileBytes
    return core
  }
}
