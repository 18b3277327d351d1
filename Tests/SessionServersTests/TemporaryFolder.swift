import FoundationEssentials
import Glibc

/// A fresh folder that goes away with its last reference.
final class TemporaryFolder: Sendable {
  let path: String

  init() throws {
    path = FileManager.default.temporaryDirectory.path + "/session-servers-\(UUID().uuidString)"
    try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
  }

  deinit { try? FileManager.default.removeItem(atPath: path) }

  /// All files in a folder of it, by their names without folders.
  func files(in folder: String) -> Set<String> {
    let root = path + "/" + folder
    let all = (try? FileManager.default.subpathsOfDirectory(atPath: root)) ?? []
    var isFolder = false
    return Set(
      all.filter {
        FileManager.default.fileExists(atPath: "\(root)/\($0)", isDirectory: &isFolder) && !isFolder
      }
      .map { String($0.split(separator: "/").last ?? "") })
  }

  /// Writes a file, and makes its folder.
  func write(_ text: String, to name: String) throws {
    let file = path + "/" + name
    let folder = String(file.prefix(upTo: file.lastIndex(of: "/") ?? file.endIndex))
    try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
    try Data(text.utf8).write(to: URL(filePath: file))
  }

  /// Has a file look as if it was written so long ago.
  func age(_ name: String, seconds: Double) throws {
    try FileManager.default.setAttributes(
      [.modificationDate: Date(timeIntervalSinceNow: -seconds)], ofItemAtPath: path + "/" + name)
  }
}
