internal import CSessionCore

/// Writes an archive: the manifest, the rows of each table, the files, the end. ``drain()`` returns the bytes for the file.
///
/// One task at a time uses it, and none after a failure; a row that is refused is none.
public final class ArchiveWriter {
  private let output: UnsafeMutablePointer<sc_buffer>
  private let sealer: OpaquePointer
  private let writer: OpaquePointer

  /// Begins an archive that each of the secrets opens, one of a kind. With a passphrase this takes a second.
  public init(secrets: [ArchiveSecret], isCompressed: Bool) throws(SessionError) {
    let output = UnsafeMutablePointer<sc_buffer>.allocate(capacity: 1)
    output.initialize(to: sc_buffer())
    var sealer: OpaquePointer?
    do throws(SessionError) {
      let made = try CoreArena.lend { (arena) throws(SessionError) in
        try Core.object {
          sc_archive_sealer_new(
            $0, nil, sc_sink_to_buffer(output), arena.list(secrets.map { $0.core(in: arena) }), secrets.count,
            UInt32(SC_ARCHIVE_CHUNK_LOG2))
        }
      }
      sealer = made
      writer = try Core.object { sc_archive_writer_new($0, nil, sc_archive_sealer_sink(made), isCompressed) }
      self.sealer = made
      self.output = output
    } catch {
      sc_archive_sealer_free(sealer)
      sc_buffer_free(output)
      output.deallocate()
      throw error
    }
  }

  deinit {
    sc_archive_writer_free(writer)
    sc_archive_sealer_free(sealer)
    sc_buffer_free(output)
    output.deallocate()
  }

  /// The bytes of the file since the last call.
  public func drain() -> [UInt8] {
    defer { sc_buffer_clear(output) }
    return Array(output.pointee.content)
  }

  public func write(_ manifest: ArchiveManifest) throws(SessionError) {
    try CoreArena.lend { (arena) throws(SessionError) in
      try Core.call { sc_archive_writer_manifest(writer, arena.value(manifest.core(in: arena))) }
    }
  }

  /// Begins a table of the manifest.
  public func beginTable(_ name: String, columns: [String]) throws(SessionError) {
    try CoreArena.lend { (arena) throws(SessionError) in
      let names = arena.list(columns.map { arena.text($0) })
      try Core.call { sc_archive_writer_table(writer, arena.text(name), names, columns.count) }
    }
  }

  /// Writes a row of the table. False if it cannot travel, and was left out.
  public func write(row: [ArchiveValue]) throws(SessionError) -> Bool {
    try CoreArena.lend { (arena) throws(SessionError) in
      let status = sc_archive_writer_row(writer, arena.list(row.map { $0.core(in: arena) }))
      switch status {
      case SC_OK: return true
      case SC_ERR_UTF8, SC_ERR_ARGUMENT, SC_ERR_TOO_LARGE: return false
      default: throw SessionError(status)
      }
    }
  }

  public func beginFile(_ file: ArchiveFile) throws(SessionError) {
    var core = file.core
    try Core.call { sc_archive_writer_file(writer, &core) }
  }

  public func write(content: [UInt8]) throws(SessionError) {
    try Core.call(with: content) { sc_archive_writer_file_data(writer, $0) }
  }

  /// Ends the file. False if it has another size than stated: it was marked as incomplete.
  public func endFile() throws(SessionError) -> Bool {
    let status = sc_archive_writer_file_end(writer)
    guard status != SC_ERR_FILE_SIZE else { return false }
    try SessionError.check(status)
    return true
  }

  /// Ends the file as incomplete.
  public func breakFile(because kind: String) throws(SessionError) {
    try Core.call(with: Array(kind.utf8)) { sc_archive_writer_file_broken(writer, $0) }
  }

  public func note(_ problem: ArchiveProblem) throws(SessionError) {
    try CoreArena.lend { (arena) throws(SessionError) in
      try Core.call { sc_archive_writer_problem(writer, arena.value(problem.core(in: arena))) }
    }
  }

  public func finish() throws(SessionError) {
    try Core.call { sc_archive_writer_finish(writer) }
    try Core.call { sc_archive_sealer_finish(sealer) }
  }
}
