import Glibc
import SessionBase
import SessionCore
import SessionService
import SessionStorage

/// The nodes that an operator lets into the network: a file with the Ed25519 key of one on each line, and whatever words
/// help to remember whose it is.
package struct AllowList: Sendable {
  static let maxBytes = 1024 * 1024

  package let path: String

  package init(path: String) { self.path = path }

  /// Identifies a version of the file.
  struct Stamp: Hashable {
    let file: UInt64
    let size: Int64
    let changed: [Int]
  }

  /// How the file is now; nil where there is none.
  func stamp() throws -> Stamp? {
    var status = stat()
    guard stat(path, &status) == 0 else {
      guard errno == ENOENT else { throw ServiceFailure.folder("cannot look at \(path)") }
      return nil
    }
    let (written, changed) = (status.st_mtim, status.st_ctim)
    return Stamp(
      file: UInt64(status.st_ino), size: Int64(status.st_size),
      changed: [written.tv_sec, written.tv_nsec, changed.tv_sec, changed.tv_nsec])
  }

  /// The keys; none where there is no file. Throws `allowList` for a line that has none.
  package func keys() throws -> Set<[UInt8]> { Set(try lines().compactMap(\.key)) }

  /// Adds a key; false where it is there already.
  package func allow(_ key: [UInt8]) throws -> Bool {
    try change { lines in
      guard !lines.contains(where: { $0.key == key }) else { return false }
      lines.append(Line(text: key.hex, key: key))
      return true
    }
  }

  /// Removes a key; false where it is not there.
  package func forbid(_ key: [UInt8]) throws -> Bool {
    try change { lines in
      let count = lines.count
      lines.removeAll { $0.key == key }
      return lines.count < count
    }
  }

  private var folder: String { Folder.of(path) }

  private func lock() throws -> FileLock {
    let lock = try FileLock(path + ".lock", of: path, purpose: "session node registry")
    guard geteuid() == 0 else { return lock }
    var status = stat()
    guard stat(folder, &status) == 0, chown(path + ".lock", status.st_uid, status.st_gid) == 0 else {
      throw ServiceFailure.folder("cannot give \(path).lock to the owner of its folder")
    }
    return lock
  }

  private struct Line {
    let text: String
    let key: [UInt8]?
  }

  private func lines() throws -> [Line] {
    guard !OpenFile.isMissing(path) else { return [] }
    let bytes = try OpenFile(reading: path).readAll(upTo: Self.maxBytes)
    let texts = String(decoding: bytes, as: UTF8.self).split(
      separator: "\n", omittingEmptySubsequences: false)
    return try texts.enumerated().map { index, text in
      let word = text.split(whereSeparator: \.isWhitespace).first ?? ""
      guard !word.isEmpty, !word.hasPrefix("#") else { return Line(text: String(text), key: nil) }
      guard let key = try? [UInt8](hex: word.utf8), key.count == 32 else {
        throw NodeFailure.allowList(path, line: index + 1)
      }
      return Line(text: String(text), key: key)
    }
  }

  /// Changes the file under a lock. The file keeps the owner of its folder.
  private func change(_ body: (inout [Line]) -> Bool) throws -> Bool {
    let lock = try lock()
    defer { withExtendedLifetime(lock) {} }
    var lines = try lines()
    guard body(&lines) else { return false }
    while lines.first?.text.isEmpty ?? false { lines.removeFirst() }
    let text = lines.filter { !$0.text.isEmpty }.map { $0.text + "\n" }.joined()
    try PendingFile.write(Array(text.utf8).span, to: path, replacing: true, ownerOf: folder)
    return true
  }
}
