import Glibc
package import SessionBase

extension StorageError {
  /// The current errno as an error; `what` is the failed operation. `otherwise` is the code if errno has no
  /// specific one.
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
  /// Translates an error of a file; `what` is the failed operation.
  package init(_ error: FileError, _ what: String? = nil) {
    self.init(Code(error.code), (what.map { $0 + ": " } ?? "") + error.message)
  }

  /// Works with files, and translates their errors.
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
