import Foundation
import Glibc
import SessionBase
import SessionDesktop
import Spawning

/// The keyring of GNOME on a private bus, with a default keyring that is unlocked.
package final class GnomeKeyring: @unchecked Sendable {
  // The process is set once, before others see it.
  private let daemon = Process()

  /// It ended before it answered.
  private struct Ended: Error {}

  private static let path = "/usr/bin/gnome-keyring-daemon"
  /// True if the program is there.
  package static let isPossible = PrivateBus.isPossible && FileManager.default.isExecutableFile(atPath: path)
  package static let reason = "gnome-keyring or dbus-daemon is not installed: run scripts/setup-debian.sh"

  /// Returns when it answers on the bus.
  package init(on server: PrivateBus) async throws {
    let bus = try server.connected()
    let (isThere, hasEnded) = (Latch(), Latch())
    try await WorkerQueue("test.keyring").run {
      try bus.hear(
        "type='signal',sender='org.freedesktop.DBus',member='NameOwnerChanged',arg0='org.freedesktop.secrets'"
      ) { _ in isThere.open() }
    }
    daemon.terminationHandler = { _ in
      hasEnded.open()
      isThere.open()
    }
    let input = Foundation.Pipe.closedOnExec()
    daemon.executableURL = URL(filePath: Self.path)
    daemon.arguments = ["--foreground", "--unlock", "--components=secrets"]
    daemon.environment = [
      "DBUS_SESSION_BUS_ADDRESS": server.address, "HOME": server.folder.path,
      "XDG_RUNTIME_DIR": server.folder.path, "XDG_DATA_HOME": server.folder.appending(path: "data").path,
    ]
    daemon.standardInput = input
    daemon.standardOutput = FileHandle.nullDevice
    daemon.standardError = FileHandle.nullDevice
    try daemon.start()
    try input.fileHandleForWriting.write(contentsOf: Data("password".utf8))
    try input.fileHandleForWriting.close()
    await isThere.wait()
    try Task.checkCancellation()
    guard !hasEnded.isOpen else { throw Ended() }
  }

  deinit { end() }

  package func end() {
    guard daemon.isRunning else { return }
    // A thread of the tests may have handed on that other signals are blocked.
    kill(daemon.processIdentifier, SIGKILL)
  }
}
