import Glibc
import SessionBase

/// The sound of the notifications of a conversation, on this device. Nothing here plays it: the desktop does.
public enum NotificationSound: Hashable, Sendable, Codable {
  /// That of the desktop.
  case usual
  case none
  /// A sound of the desktop's theme, such as `message-new-instant`.
  case named(String)
  /// The absolute path of a file.
  case file(String)

  /// The largest file, in bytes.
  public static let maxFile: Int64 = 1_048_576
  private static let maxName = 64
  private static let maxPath = 4096

  /// Reads `default`, `none`, a name or an absolute path. Throws `notAllowed` for anything else.
  public init(parsing text: String) throws(MessengerError) {
    switch text {
    case "default": self = .usual
    case "none": self = .none
    case let path where path.hasPrefix("/"): self = .file(path)
    default: self = .named(text)
    }
    guard isValid else {
      throw MessengerError(
        .notAllowed,
        "a sound is 'default', 'none', the name of a sound of the desktop, or the path of a file that begins with /"
      )
    }
  }

  /// The text that ``init(parsing:)`` reads.
  public var text: String {
    switch self {
    case .usual: "default"
    case .none: "none"
    case .named(let name): name
    case .file(let path): path
    }
  }

  var isValid: Bool {
    switch self {
    case .usual, .none: true
    case .named(let name):
      (1...Self.maxName).contains(name.utf8.count) && name != "default" && name != "none"
        && name.utf8.allSatisfy(Self.isNameByte)
    case .file(let path):
      path.hasPrefix("/") && path.utf8.count <= Self.maxPath
        && path.unicodeScalars.allSatisfy { $0.value >= 32 && $0.value != 127 }
    }
  }

  private static func isNameByte(_ byte: UInt8) -> Bool {
    switch byte {
    case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
      UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "_"):
      true
    default: false
    }
  }

  /// Throws `fileUnavailable` if it is a file that cannot be played: it is missing, unreadable, no regular file, or too large,
  /// and the message does not tell which. What shows notifications calls this before each, and takes ``usual`` instead.
  public func checkFile() async throws(MessengerError) {
    guard case .file(let path) = self else { return }
    let isPlayable = await WorkerQueue("session.sound").run {
      var status = stat()
      return stat(path, &status) == 0 && status.st_mode & S_IFMT == S_IFREG && status.st_size <= Self.maxFile
        && access(path, R_OK) == 0
    }
    guard isPlayable else {
      throw MessengerError(
        .fileUnavailable, "a sound is a regular file of up to \(Self.maxFile) bytes that can be read")
    }
  }
}
