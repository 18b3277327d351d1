import Glibc
import SessionBase

/// The address of a Unix socket. A path that is longer than an address can be is reached through a descriptor of its
/// folder.
final class UnixAddress: Sendable {
  private let text: [UInt8]
  private let folder: Int32

  static let maxLength = MemoryLayout.size(ofValue: sockaddr_un().sun_path) - 1

  init(_ path: String) throws(FileError) {
    guard path.utf8.count > Self.maxLength else {
      (text, folder) = (Array(path.utf8), -1)
      return
    }
    folder = open(Folder.of(path), O_RDONLY | O_DIRECTORY | O_CLOEXEC)
    guard folder >= 0 else { throw .system(.unreadable, "cannot open", Folder.of(path)) }
    let name = path.utf8.split(separator: UInt8(ascii: "/")).last ?? ""[...].utf8
    text = Array("/proc/self/fd/\(folder)/".utf8) + Array(name)
  }

  deinit { if folder >= 0 { close(folder) } }

  func withSockaddr(_ body: (UnsafePointer<sockaddr>, socklen_t) -> Int32) -> Int32 {
    guard text.count <= Self.maxLength else {
      errno = ENAMETOOLONG
      return -1
    }
    var address = sockaddr_un()
    address.sun_family = sa_family_t(AF_UNIX)
    withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: text) }
    return withUnsafePointer(to: &address) { address in
      address.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        body($0, socklen_t(MemoryLayout<sockaddr_un>.size))
      }
    }
  }
}
