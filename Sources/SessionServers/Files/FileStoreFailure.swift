import Glibc
import SessionBase

/// Why a file is not kept.
enum FileStoreFailure: Error, Hashable {
  /// The store, or the device, is full.
  case full
  /// The system refused; says what.
  case refused(String)

  /// What the system refused just now.
  static func system(_ what: String) -> FileStoreFailure {
    let number = errno
    return number == ENOSPC || number == EDQUOT
      ? .full : .refused("\(what): \(String(cString: strerror(number)))")
  }

  init(_ error: FileError) { self = error.code == .diskFull ? .full : .refused(error.message) }
}

extension FileStoreFailure: CustomStringConvertible {
  var description: String {
    switch self {
    case .full: "no room for more files"
    case .refused(let why): why
    }
  }
}
