import Glibc

/// Why the system refused to work with a file, a folder or a pipe.
public struct FileError: CodedError, Hashable, Sendable {
  public enum Code: String, CaseIterable, Sendable {
    /// A file or folder cannot be opened or read.
    case unreadable
    /// A file or folder cannot be created.
    case uncreatable
    /// A file is there already and is not overwritten.
    case exists
    /// Writing failed.
    case unwritable
    /// The reader of the pipe has closed it.
    case readerGone
    /// The permissions of a file or of its folder do not allow it, or the file system is read-only.
    case forbidden
    /// The disk, or the user's quota of it, is full.
    case diskFull
    /// A file is larger than the limit.
    case tooLarge
    /// Another process holds the lock.
    case inUse
    /// The system cannot lock a file, or cannot list a folder to its end.
    case device
  }

  public let code: Code
  /// One sentence without a full stop.
  public let message: String

  package init(_ code: Code, _ message: String) { (self.code, self.message) = (code, message) }

  /// The last errno as an error. Missing permissions, a full disk and a broken one have their own codes.
  package static func system(_ code: Code, _ what: String, _ path: String) -> FileError {
    let number = errno
    let told: Code =
      switch number {
      case EACCES, EPERM, EROFS: .forbidden
      case ENOSPC, EDQUOT: .diskFull
      case EIO where code == .uncreatable: .unwritable
      default: code
      }
    return FileError(told, "\(what) \(path): \(String(cString: strerror(number)))")
  }
}

extension FileError: CustomStringConvertible {
  public var description: String { message }
}
