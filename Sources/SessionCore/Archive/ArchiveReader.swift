internal import CSessionCore

/// What an archive contains, piece by piece.
public enum ArchiveEvent: Sendable {
  case manifest(ArchiveManifest)
  /// The rows that follow are of this table.
  case table(String, columns: [String])
  case row([ArchiveValue])
  case file(ArchiveFile)
  case content([UInt8])
  /// The end of a file; the kind of problem if it is incomplete.
  case fileEnd(problem: String?)
  case problem(ArchiveProblem)
}

/// Reads an archive as its bytes come, and checks everything about it.
///
/// One task at a time uses it, and none after a failure.
public final class ArchiveReader {
  /// What the visitor of the core calls.
  private final class Visitor {
    let visit: (ArchiveEvent) throws -> Void
    /// Why the reading was ended.
    var failure: (any Error)?
    let known: UnsafePointer<sc_archive_known>
    /// The memory of what is known.
    private let arena: CoreArena

    init(tables: [String], schema: Int64, _ visit: @escaping (ArchiveEvent) throws -> Void) {
      self.visit = visit
      let arena = CoreArena()
      self.arena = arena
      let names = tables.map { table -> UnsafePointer<CChar>? in arena.list(Array(table.utf8CString)) }
      known = arena.value(
        sc_archive_known(schema: schema, tables: arena.list(names), table_count: tables.count))
    }

    func take(_ event: () throws -> ArchiveEvent) -> sc_status {
      do {
        try visit(try event())
        return SC_OK
      } catch {
        failure = error
        return SC_ERR_SINK
      }
    }
  }

  private let visitor: Visitor
  /// The memory of the secrets.
  private let arena: CoreArena
  private let reader: OpaquePointer
  private let opener: OpaquePointer

  /// Reads an archive for a database with these tables and this schema.
  public init(
    secrets: [ArchiveSecret], tables: [String], schema: Int64, visit: @escaping (ArchiveEvent) throws -> Void
  ) throws(SessionError) {
    let visitor = Visitor(tables: tables, schema: schema, visit)
    var core = Self.core(visitor)
    let made = try Core.object { sc_archive_reader_new($0, nil, &core, visitor.known) }
    let arena = CoreArena()
    self.arena = arena
    let list = arena.list(secrets.map { $0.core(in: arena) })
    do throws(SessionError) {
      opener = try Core.object {
        sc_archive_opener_new($0, nil, sc_archive_reader_sink(made), list, secrets.count)
      }
    } catch {
      sc_archive_reader_free(made)
      throw error
    }
    reader = made
    self.visitor = visitor
  }

  deinit {
    sc_archive_opener_free(opener)
    sc_archive_reader_free(reader)
  }

  /// The number of chunks that were opened; after `archiveDamaged` the number of the damaged one.
  public var chunkCount: UInt64 { sc_archive_opener_chunks(opener) }

  /// Reads the next bytes of the file. The call that completes its header may take seconds.
  public func read(_ piece: [UInt8]) throws {
    try check { () throws(SessionError) in try Core.call(with: piece) { sc_archive_opener_write(opener, $0) }
    }
  }

  public func finish() throws {
    try check { () throws(SessionError) in
      try Core.call { sc_archive_opener_finish(opener) }
      try Core.call { sc_archive_reader_finish(reader) }
    }
  }

  private func check(_ body: () throws(SessionError) -> Void) throws {
    do {
      try body()
    } catch {
      throw visitor.failure ?? error
    }
  }

  private static func core(_ visitor: Visitor) -> sc_archive_visitor {
    var core = sc_archive_visitor()
    core.user = Unmanaged.passUnretained(visitor).toOpaque()
    core.manifest = { user, manifest in
      ArchiveReader.visitor(user).take { .manifest(try ArchiveManifest(ArchiveReader.value(manifest))) }
    }
    core.table = { user, table, columns, count in
      ArchiveReader.visitor(user).take {
        .table(table.string, columns: UnsafeBufferPointer(start: columns, count: count).map(\.string))
      }
    }
    core.row = { user, values, count in
      ArchiveReader.visitor(user).take {
        .row(UnsafeBufferPointer(start: values, count: count).map(ArchiveValue.init))
      }
    }
    core.file = { user, file in
      ArchiveReader.visitor(user).take { .file(ArchiveFile(ArchiveReader.value(file))) }
    }
    core.file_data = { user, data in ArchiveReader.visitor(user).take { .content(Array(data.content)) } }
    core.file_end = { user, error in
      ArchiveReader.visitor(user).take { .fileEnd(problem: error.len == 0 ? nil : error.string) }
    }
    core.problem = { user, problem in
      ArchiveReader.visitor(user).take { .problem(ArchiveProblem(ArchiveReader.value(problem))) }
    }
    return core
  }

  private static func value<Value>(_ pointer: UnsafePointer<Value>?) -> Value {
    guard let pointer else { preconditionFailure("the core lends no value") }
    return pointer.pointee
  }

  private static func visitor(_ user: UnsafeMutableRawPointer?) -> Visitor {
    guard let user else { preconditionFailure("a visitor without an object") }
    return Unmanaged<Visitor>.fromOpaque(user).takeUnretainedValue()
  }
}
