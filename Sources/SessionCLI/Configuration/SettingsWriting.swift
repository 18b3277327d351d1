import FoundationEssentials
import Glibc

/// Writes settings of a person to a file, in one step, for its owner alone to read. Where the path is a link, as those who
/// keep their settings elsewhere have it, the file that it leads to is written.
func writeSettings(_ text: String, to path: String) throws(CommandFailure) {
  let file = try linkedFile(path)
  do {
    try FileManager.default.createDirectory(
      at: URL(filePath: file).deletingLastPathComponent(), withIntermediateDirectories: true,
      attributes: [.posixPermissions: 0o700])
    try Data(text.utf8).write(to: URL(filePath: file), options: .atomic)
    // A new file has what the mask of the process leaves.
    try FileManager.default.setAttributes([.posixPermissions: 0o600], ofItemAtPath: file)
  } catch let error as CocoaError where error.code == .fileWriteOutOfSpace {
    throw CommandFailure(
      status: .io, message: "cannot write \(file): the disk is full", advice: "Free disk space.")
  } catch {
    throw CommandFailure(
      status: .cannotCreate, message: "cannot write \(file)",
      advice: "Check that the folder exists and that you can write to it.")
  }
}

/// The file that a path leads to, through links.
private func linkedFile(_ path: String) throws(CommandFailure) -> String {
  var status = stat()
  guard lstat(path, &status) == 0, status.st_mode & S_IFMT == S_IFLNK else { return path }
  guard let resolved = realpath(path, nil) else {
    throw CommandFailure(
      status: .cannotCreate, message: "\(path) is a broken symbolic link",
      advice: "Create its target, or remove the link.")
  }
  defer { free(resolved) }
  return String(cString: resolved)
}
