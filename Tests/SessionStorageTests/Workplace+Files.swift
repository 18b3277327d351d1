import Foundation

/// Files in the folder of a test, by their names.
extension Workplace {
  func path(_ name: String) -> String { "\(path)/\(name)" }

  func read(_ name: String) throws -> [UInt8] { Array(try Data(contentsOf: URL(filePath: path(name)))) }

  func write(_ bytes: [UInt8], to name: String) throws {
    try Data(bytes).write(to: URL(filePath: path(name)))
  }

  func rename(_ name: String, to other: String) throws {
    try FileManager.default.moveItem(atPath: path(name), toPath: path(other))
  }

  func link(_ name: String, to other: String) throws {
    try FileManager.default.createSymbolicLink(atPath: path(name), withDestinationPath: path(other))
  }

  func mode(_ name: String) throws -> Int {
    try FileManager.default.attributesOfItem(atPath: path(name))[.posixPermissions] as? Int ?? 0
  }

  func setMode(_ mode: Int, of name: String) throws {
    try FileManager.default.setAttributes([.posixPermissions: mode], ofItemAtPath: path(name))
  }

  /// Says that a file was written at a time, in milliseconds since 1970.
  func setWritingTime(_ time: Int64, of name: String) throws {
    let date = Date(timeIntervalSince1970: Double(time) / 1000)
    try FileManager.default.setAttributes([.modificationDate: date], ofItemAtPath: path(name))
  }

  func exists(_ name: String) -> Bool { FileManager.default.fileExists(atPath: path(name)) }

  func remove(_ name: String) throws { try FileManager.default.removeItem(atPath: path(name)) }

  func makeFolder(_ name: String) throws {
    try FileManager.default.createDirectory(atPath: path(name), withIntermediateDirectories: true)
  }

  /// The name of a path inside the folder, relative to it.
  func name(_ path: String) -> String { String(path.dropFirst(self.path.count + 1)) }
}
