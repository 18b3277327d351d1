import Glibc

/// A folder for the databases of a benchmark, which goes in the end.
public enum WorkFolder {
  public static func use(_ body: (String) throws -> Void) throws {
    let parent = getenv("TMPDIR").map { String(cString: $0) } ?? "/tmp"
    var template = Array("\(parent)/bench.XXXXXX".utf8CString)
    guard mkdtemp(&template) != nil else { fatalError("there is no folder to work in: set TMPDIR") }
    let folder = String(decoding: template.dropLast().map(UInt8.init(bitPattern:)), as: UTF8.self)
    defer { remove(folder) }
    try body(folder)
  }

  private static func remove(_ folder: String) {
    for name in OwnProcess.names(in: folder) {
      let path = "\(folder)/\(name)"
      if unlink(path) != 0 { remove(path) }
    }
    rmdir(folder)
  }
}
