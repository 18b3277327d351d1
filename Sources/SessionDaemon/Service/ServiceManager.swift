import Glibc
import SessionBase

/// Reports the state of the service to systemd.
package struct ServiceManager: Sendable {
  /// The variables by which systemd tells of itself. They are meant for this program alone.
  package static let variables = ["NOTIFY_SOCKET", "WATCHDOG_PID", "WATCHDOG_USEC"]

  private let path: String?
  /// How often systemd wants to hear that the service lives; nil if it does not watch.
  package let watchdogInterval: Duration?

  package init(_ environment: [String: String]) {
    path = environment["NOTIFY_SOCKET"].flatMap { $0.hasPrefix("/") || $0.hasPrefix("@") ? $0 : nil }
    let isMeant = environment["WATCHDOG_PID"].map { $0 == "\(getpid())" } ?? true
    let limit = environment["WATCHDOG_USEC"].flatMap { Int64($0) } ?? 0
    watchdogInterval = isMeant && limit > 1 ? .microseconds(limit / 2) : nil
  }

  /// Sends lines such as `READY=1`. A service manager that does not listen changes nothing.
  package func tell(_ lines: String...) {
    guard let path, path.utf8.count <= UnixAddress.maxLength else { return }
    let socket = socket(AF_UNIX, Int32(SOCK_DGRAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0)
    guard socket >= 0 else { return }
    defer { close(socket) }
    var address = sockaddr_un()
    address.sun_family = sa_family_t(AF_UNIX)
    // A name without a file begins with a zero byte.
    var name = Array(path.utf8)
    if name[0] == UInt8(ascii: "@") { name[0] = 0 }
    withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: name) }
    let size = MemoryLayout<sockaddr_un>.offset(of: \.sun_path).map { $0 + name.count } ?? 0
    let text = Array(lines.joined(separator: "\n").utf8)
    _ = withUnsafePointer(to: &address) { address in
      address.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        sendto(socket, text, text.count, Int32(MSG_NOSIGNAL), $0, socklen_t(size))
      }
    }
  }
}
