import Glibc
import SessionBase
import Synchronization

/// The folders of which clients with limited rights may send files by their paths.
package final class FileFolders: Sendable {
  private let folders: Mutex<[String]>

  package init(_ folders: [String] = []) { self.folders = Mutex(folders) }

  /// These are the folders from now on.
  package func set(_ folders: [String]) { self.folders.withLock { $0 = folders } }

  /// Opens a file inside of one of the folders. Throws `permission` if it is in none, or a link on the way leads elsewhere;
  /// `no-file` if it is missing, or is not a regular file of this user.
  ///
  /// Each folder on the way is opened from the one before, without following links, so that no path component can be
  /// swapped between check and use. Paths are compared as bytes, as the system does.
  package func open(_ path: String) throws(RPCError) -> PassedFile {
    let bytes = Array(path.utf8)
    let found = folders.withLock { $0.first { bytes.starts(with: Array($0.utf8) + [Self.slash]) } }
    guard let folder = found else { throw Self.refusal }
    let names = bytes.dropFirst(folder.utf8.count + 1)
      .split(separator: Self.slash, omittingEmptySubsequences: false).map { Array($0) }
    let refused = ["", ".", ".."].map { Array($0.utf8) }
    guard names.allSatisfy({ !refused.contains($0) && !$0.contains(0) }) else { throw Self.refusal }
    let root = Glibc.open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
    guard root >= 0 else { throw Self.unopened() }
    var place = PassedFile(adopting: root)
    for name in names.dropLast() {
      place = try Self.open(name, in: place, O_DIRECTORY)
    }
    let file = try Self.open(names.last ?? [], in: place, O_NONBLOCK)
    var status = stat()
    guard fstat(file.descriptor, &status) == 0, status.st_mode & S_IFMT == S_IFREG,
      status.st_uid == geteuid()
    else { throw RPCError(66, "no-file", "this is not a regular file of the daemon's user") }
    return file
  }

  private static func open(
    _ name: [UInt8], in folder: PassedFile, _ flags: Int32
  ) throws(RPCError) -> PassedFile {
    let name = name.map { CChar(bitPattern: $0) } + [0]
    let descriptor = openat(folder.descriptor, name, O_RDONLY | O_NOFOLLOW | O_CLOEXEC | flags)
    guard descriptor >= 0 else {
      switch errno {
      // A link where a file or a folder should be.
      case ELOOP, ENOTDIR: throw refusal
      default: throw unopened()
      }
    }
    return PassedFile(adopting: descriptor)
  }

  private static let slash = UInt8(ascii: "/")

  private static func unopened() -> RPCError {
    RPCError(66, "no-file", "the file cannot be opened: \(String(cString: strerror(errno)))")
  }

  private static var refusal: RPCError {
    var error = RPCError(
      77, "permission", "a path outside of \"file_folders\" needs the scope \"admin\"",
      advice: "Send the content instead: \"data\", or a file of file.begin.")
    error.details = [.init("scope", .string(RPCScope.admin.rawValue))]
    return error
  }
}
