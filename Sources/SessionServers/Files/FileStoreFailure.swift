import Glibc
import SessionBase

/// The reason why a file is not stored.
enum FileStoreFailure: Error, Hashable {
  /// The store, or the device, is full.
  case full
  /// The system refused; with the reason.
  case refused(String)

  /// The last errno as a failure.
  static func system(_ what: String) -> FileStoreFailure {
    let number = errno
    return number == ENOSPC || number == EDQUOT
      ? .full : .refused("\(what): \(String(cString: strerror(number)))")
  }

  /// The same failure as that of a file in a folder.
  func fileError(_ folder: String) -> FileError {
    switch self {
    case .full: FileError(.diskFull, "the disk is full for \(folder)")
    case .refused(let why): FileError(.unwritable, "\(folder): \(why)")
    }
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
