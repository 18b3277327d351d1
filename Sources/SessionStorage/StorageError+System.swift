import Glibc
package import SessionBase

extension StorageError {
  /// What the system refused just now; `what` says what was tried. Where it says no more than that, it is `otherwise`.
  static func system(_ what: String, otherwise: Code = .io, _ number: Int32 = errno) -> StorageError {
    let code: Code =
      switch number {
      case ENOSPC, EDQUOT: .full
      case EACCES, EPERM, EROFS: .readOnly
      case EIO: .io
      default: otherwise
      }
    return StorageError(code, "cannot \(what): \(String(cString: strerror(number)))")
  }
}

extension StorageError {
  /// The same failure as this module tells it; `what` says what was tried.
  package init(_ error: FileError, _ what: String? = nil) {
    self.init(Code(error.code), (what.map { $0 + ": " } ?? "") + error.message)
  }

  /// Works with files, and tells their failures as this module does.
  package static func files<R>(
    _ what: String? = nil, _ work: () throws(FileError) -> R
  ) throws(StorageError) -> R {
    do throws(FileError) { return try work() } catch { throw StorageError(error, what) }
  }
}

extension StorageError.Code {
  fileprivate init(_ code: FileError.Code) {
    switch code {
    case .unreadable, .uncreatable: self = .cannotOpen
    case .exists: self = .duplicate
    case .forbidden: self = .readOnly
    case .diskFull: self = .full
    case .tooLarge: self = .tooLarge
    case .inUse: self = .locked
    case .unwritable, .readerGone, .device: self = .io
    }
  }
}
