internal import CSessionCore

/// A value in a row of an archive.
public enum ArchiveValue: Hashable, Sendable {
  case null
  case integer(Int64)
  case real(Double)
  case text(String)
  case blob([UInt8])
  /// It was read, but no row can have it.
  case invalid

  init(_ core: sc_archive_value) {
    switch core.kind {
    case SC_ARCHIVE_NULL: self = .null
    case SC_ARCHIVE_INTEGER: self = .integer(core.integer)
    case SC_ARCHIVE_REAL: self = .real(core.real)
    case SC_ARCHIVE_TEXT: self = .text(core.bytes.string)
    case SC_ARCHIVE_BLOB: self = .blob(Array(core.bytes.content))
    default: self = .invalid
    }
  }

  func core(in arena: CoreArena) -> sc_archive_value {
    var core = sc_archive_value()
    switch self {
    case .null: core.kind = SC_ARCHIVE_NULL
    case .integer(let number): (core.kind, core.integer) = (SC_ARCHIVE_INTEGER, number)
    case .real(let number): (core.kind, core.real) = (SC_ARCHIVE_REAL, number)
    case .text(let text): (core.kind, core.bytes) = (SC_ARCHIVE_TEXT, arena.text(text))
    case .blob(let bytes): (core.kind, core.bytes) = (SC_ARCHIVE_BLOB, arena.bytes(bytes))
    case .invalid: core.kind = SC_ARCHIVE_INVALID
    }
    return core
  }
}
