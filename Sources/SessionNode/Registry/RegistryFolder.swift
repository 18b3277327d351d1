import SessionBase
import SessionCore
package import SessionNodeCore
import SessionService

/// The folder of a registry: the operator's key, the allowed nodes, and the last signed list.
package struct RegistryFolder: Sendable {
  package let path: String

  package init(path: String) { self.path = path }

  package var networkFile: String { path + "/network.json" }
  package var control: String { path + "/control" }
  package var allowed: AllowList { AllowList(path: path + "/allowed") }

  /// Creates the folder, private to its owner, and the operator's key if there is none.
  package func prepare() throws -> NodeKeys {
    try FolderLock.prepare(path)
    return try SeedFile(path: path + "/operator.key").keys()
  }

  func lock() throws -> FolderLock { try FolderLock.take(path, purpose: "session node registry") }

  /// The stored list; nil before the first. An unreadable one is a failure: starting again would lower the height.
  func readList(of operatorKey: [UInt8]) throws -> NetworkFile? {
    try KeptList(path: networkFile).read(of: operatorKey)
  }

  func write(_ file: NetworkFile) throws { try KeptList(path: networkFile).write(file) }
}

/// A signed list of nodes in a file of this machine.
struct KeptList: Sendable {
  static let maxBytes = 16 * 1024 * 1024

  let path: String

  /// Nil if there is no file.
  func read(of operatorKey: [UInt8]? = nil) throws -> NetworkFile? {
    guard !OpenFile.isMissing(path) else { return nil }
    let text = try OpenFile(reading: path).readAll(upTo: Self.maxBytes)
    return try NetworkFile(parsing: text, operatorKey: operatorKey)
  }

  func write(_ file: NetworkFile) throws {
    try PendingFile.write(file.text.span, to: path, replacing: true)
  }
}
