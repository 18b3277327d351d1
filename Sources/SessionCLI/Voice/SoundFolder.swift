import FoundationEssentials
import Glibc

/// A folder for sound that is not encrypted, in memory where that is possible. It is removed with this object.
/// If this program is killed, the next one that makes a folder removes it.
final class SoundFolder: Sendable {
  let path: String
  /// Locked as long as this program lives.
  private let lock: Int32

  private static let prefix = "session-voice-"
  /// In seconds. A younger folder may not be locked yet.
  private static let minAge = 600

  init(_ environment: [String: String]) throws(CommandFailure) {
    let places = [environment["XDG_RUNTIME_DIR"], "/dev/shm", environment["TMPDIR"], "/tmp"]
    for case let place? in places where place.hasPrefix("/") {
      Self.removeLeftovers(in: place)
      var name = Array("\(place)/\(Self.prefix)XXXXXX".utf8CString)
      // With the permissions 0700.
      guard mkdtemp(&name) != nil else { continue }
      path = String(decoding: name.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self)
      lock = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
      if lock >= 0 { flock(lock, LOCK_EX | LOCK_NB) }
      return
    }
    throw CommandFailure(status: .cannotCreate, message: "no folder for temporary files can be made")
  }

  deinit {
    try? FileManager.default.removeItem(atPath: path)
    if lock >= 0 { close(lock) }
  }

  func file(_ name: String) -> String { "\(path)/\(name)" }

  /// Removes the folders of this user's programs that were killed.
  private static func removeLeftovers(in place: String) {
    let names = (try? FileManager.default.contentsOfDirectory(atPath: place)) ?? []
    for name in names where name.hasPrefix(prefix) {
      let path = "\(place)/\(name)"
      let folder = open(path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC)
      guard folder >= 0 else { continue }
      defer { close(folder) }
      var status = stat()
      guard fstat(folder, &status) == 0, status.st_uid == geteuid(),
        time(nil) - status.st_mtim.tv_sec > minAge, flock(folder, LOCK_EX | LOCK_NB) == 0
      else { continue }
      try? FileManager.default.removeItem(atPath: path)
    }
  }
}
