import FoundationEssentials
import Glibc

/// A folder for sound that is not encrypted, in memory where that is possible. It is removed with this object.
final class SoundFolder: Sendable {
  let path: String

  init(_ environment: [String: String]) throws(CommandFailure) {
    let places = [environment["XDG_RUNTIME_DIR"], "/dev/shm", environment["TMPDIR"], "/tmp"]
    for case let place? in places where place.hasPrefix("/") {
      var name = Array("\(place)/session-voice-XXXXXX".utf8CString)
      // With the permissions 0700.
      guard mkdtemp(&name) != nil else { continue }
      path = String(decoding: name.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self)
      return
    }
    throw CommandFailure(status: .cannotCreate, message: "no folder for temporary files can be made")
  }

  deinit { try? FileManager.default.removeItem(atPath: path) }

  func file(_ name: String) -> String { "\(path)/\(name)" }
}
