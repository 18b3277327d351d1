import Glibc
import SessionBase
import Synchronization

/// What the program of a hook writes to standard error. It may quote messages, so it is in no other log.
package final class HookLog: Sendable {
  /// The size at which a file becomes the older one.
  static let limit = 1 << 20

  let path: String
  private let lock = Mutex(())

  package init(_ path: String) { self.path = path }

  /// Adds text without its control characters. What cannot be written is dropped.
  func add(_ bytes: some Sequence<UInt8>) {
    let text = String(decoding: Array(bytes), as: UTF8.self).unicodeScalars
      .filter { $0 == "\n" || $0 == "\t" || $0.properties.generalCategory != .control }
    var rest = Array(String(String.UnicodeScalarView(text)).utf8)[...]
    guard !rest.isEmpty else { return }
    lock.withLock { _ in
      var status = stat()
      if lstat(path, &status) == 0, status.st_size >= Self.limit { rename(path, path + ".1") }
      let file = open(path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC | O_NOFOLLOW, 0o600)
      guard file >= 0 else { return }
      defer { close(file) }
      while !rest.isEmpty {
        let count = rest.withUnsafeBytes { write(file, $0.baseAddress, $0.count) }
        guard count > 0 else { return }
        rest = rest.dropFirst(count)
      }
    }
  }
}
