import FoundationEssentials
import Glibc

/// A fresh folder that goes away with its last reference.
final class TemporaryFolder: Sendable {
  let path: String

  init() throws {
    path = FileManager.default.temporaryDirectory.path + "/session-http-\(UUID().uuidString)"
    try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
  }

  deinit { try? FileManager.default.removeItem(atPath: path) }
}

func write(_ bytes: [UInt8], to path: String) -> Bool {
  FileManager.default.createFile(atPath: path, contents: Data(bytes))
}
