internal import CUTF8Proc
import Glibc
import SessionBase
public import SessionCore

extension ArchiveSecret {
  /// The longest passphrase, in bytes.
  private static let maxPassphrase = 1024

  /// A passphrase as a person typed it, in UTF-8. Keyboards write the same letter in several forms: all of them open the
  /// same archives. Throws `value` for one that is empty, too long or not UTF-8.
  public init(passphrase text: some Collection<UInt8>) throws {
    var bytes = Array(text)
    defer { bytes.wipe() }
    var composed: UnsafeMutablePointer<UInt8>?
    let flags = utf8proc_option_t(rawValue: UTF8PROC_STABLE.rawValue | UTF8PROC_COMPOSE.rawValue)
    let count = utf8proc_map(bytes, bytes.count, &composed, flags)
    defer { free(composed) }
    guard let composed, (1...Self.maxPassphrase).contains(count) else {
      throw StorageError(.value, "a passphrase has 1 to \(Self.maxPassphrase) bytes of UTF-8")
    }
    defer { memset(composed, 0, count) }
    self = .passphrase(try SecretBytes(copying: UnsafeBufferPointer(start: composed, count: count)))
  }
}
