import Glibc

/// What is in a folder.
package enum Folder {
  /// The names of all entries, sorted; none when there is no such folder.
  package static func names(in path: String) throws(StorageError) -> [String] {
    guard let folder = opendir(path) else {
      if errno == ENOENT { return [] }
      throw StorageError(.cannotOpen, "cannot open \(path): \(String(cString: strerror(errno)))")
    }
    defer { closedir(folder) }
    var names: [String] = []
    errno = 0
    while let entry = readdir(folder) {
      let name = withUnsafePointer(to: &entry.pointee.d_name) { name in
        name.withMemoryRebound(to: CChar.self, capacity: 256) { String(cString: $0) }
      }
      if name != "." && name != ".." { names.append(name) }
      errno = 0
    }
    guard errno == 0 else {
      throw StorageError(.io, "cannot read \(path): \(String(cString: strerror(errno)))")
    }
    return names.sorted()
  }
}
