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

  /// Removes a file, or a folder with all that is in it; none is nothing to do. Links are removed, not followed.
  static func remove(_ path: String) throws(StorageError) {
    var status = stat()
    guard lstat(path, &status) == 0 else {
      guard errno == ENOENT else { throw .system("remove \(path)") }
      return
    }
    guard status.st_mode & S_IFMT == S_IFDIR else {
      guard unlink(path) == 0 || errno == ENOENT else { throw .system("remove \(path)") }
      return
    }
    for name in try names(in: path) { try remove("\(path)/\(name)") }
    guard rmdir(path) == 0 || errno == ENOENT else { throw .system("remove \(path)") }
  }
}
