internal import CLinux
import Glibc

/// The entries of a folder.
package enum Folder {
  /// The folder of a path, without a slash at its end; `.` for a name alone.
  package static func of(_ path: String) -> String {
    guard let cut = path.lastIndex(of: "/") else { return "." }
    return cut == path.startIndex ? "/" : String(path[..<cut])
  }

  /// The names of all entries, sorted; empty if the folder does not exist.
  package static func names(in path: String) throws(FileError) -> [String] {
    guard let folder = opendir(path) else {
      if errno == ENOENT { return [] }
      throw FileError(.unreadable, "cannot open \(path): \(String(cString: strerror(errno)))")
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
      throw FileError(.device, "cannot read \(path): \(String(cString: strerror(errno)))")
    }
    return names.sorted()
  }

  /// When a folder was made, in seconds since 1970; 0 where the system does not know.
  package static func creationTime(of path: String) -> Int64 { linux_creation_time(path) }

  /// Removes a file, or a folder with all that is in it; none is nothing to do. Links are removed, not followed.
  package static func remove(_ path: String) throws(FileError) {
    var status = stat()
    guard lstat(path, &status) == 0 else {
      guard errno == ENOENT else { throw .system(.unwritable, "cannot remove", path) }
      return
    }
    guard status.st_mode & S_IFMT == S_IFDIR else {
      guard unlink(path) == 0 || errno == ENOENT else { throw .system(.unwritable, "cannot remove", path) }
      return
    }
    for name in try names(in: path) { try remove("\(path)/\(name)") }
    guard rmdir(path) == 0 || errno == ENOENT else { throw .system(.unwritable, "cannot remove", path) }
  }

  /// Returns when the names in a folder are on the device. Some file systems cannot do this, and write names at once.
  package static func synchronize(_ folder: String) throws(FileError) {
    let descriptor = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
    guard descriptor >= 0 else { throw .system(.unwritable, "cannot open the folder", folder) }
    defer { close(descriptor) }
    guard fsync(descriptor) == 0 || errno == EINVAL else {
      throw .system(.unwritable, "cannot write the folder", folder)
    }
  }
}
