import Folders
import Foundation
import Testing

@testable import SessionDaemon

/// What systemd hears of the daemon.
@Suite struct ServiceManagerTests {
  /// A socket such as systemd's, and what arrived there.
  private final class Listener {
    private let descriptor = socket(AF_UNIX, Int32(SOCK_DGRAM.rawValue), 0)

    /// A path, or a name without a file, which begins with @.
    init(at path: String) {
      var address = sockaddr_un()
      address.sun_family = sa_family_t(AF_UNIX)
      var name = Array(path.utf8)
      if path.hasPrefix("@") { name[0] = 0 }
      withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: name) }
      let size = socklen_t(MemoryLayout<sa_family_t>.size + name.count)
      let result = withUnsafePointer(to: &address) { address in
        address.withMemoryRebound(to: sockaddr.self, capacity: 1) { bind(descriptor, $0, size) }
      }
      #expect(result == 0)
    }

    deinit { close(descriptor) }

    /// The next text; nil for none.
    var next: String? {
      var bytes = [UInt8](repeating: 0, count: 1000)
      let count = recv(descriptor, &bytes, bytes.count, Int32(MSG_DONTWAIT))
      return count < 0 ? nil : String(decoding: bytes.prefix(count), as: UTF8.self)
    }
  }

  @Test func linesArriveAtAPathAndAtAName() throws {
    let folder = try TemporaryFolder()
    for path in [folder.path("notify"), "@session-\(UUID().uuidString)"] {
      let listener = Listener(at: path)
      ServiceManager(["NOTIFY_SOCKET": path]).tell("READY=1", "STATUS=1 of 1 accounts running")
      #expect(listener.next == "READY=1\nSTATUS=1 of 1 accounts running")
      #expect(listener.next == nil)
    }
  }

  @Test(arguments: ["", "relative", "/no/such/socket", "@" + String(repeating: "a", count: 200)])
  func socketsThatDoNotExistChangeNothing(_ path: String) {
    ServiceManager(["NOTIFY_SOCKET": path]).tell("READY=1")
    ServiceManager([:]).tell("READY=1")
  }

  @Test func theWatchdogIsFedTwiceInItsInterval() {
    func interval(_ environment: [String: String]) -> Duration? {
      ServiceManager(environment).watchdogInterval
    }
    #expect(interval(["WATCHDOG_USEC": "60000000"]) == .seconds(30))
    #expect(interval(["WATCHDOG_USEC": "60000000", "WATCHDOG_PID": "\(getpid())"]) == .seconds(30))
    #expect(interval(["WATCHDOG_USEC": "60000000", "WATCHDOG_PID": "1"]) == nil)
    for text in ["0", "1", "-5", "soon", ""] { #expect(interval(["WATCHDOG_USEC": text]) == nil) }
  }
}
