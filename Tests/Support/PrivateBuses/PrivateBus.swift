package import Foundation
import Glibc
package import SessionDesktop
import Spawning

/// A bus of a test, with programs of the test alone.
package final class PrivateBus: @unchecked Sendable {
  // The process and the folder are set once, before others see them.
  private let daemon = Process()
  package let folder: URL
  package let address: String

  /// True if there is a program that runs a bus.
  package static let isPossible = FileManager.default.isExecutableFile(atPath: "/usr/bin/dbus-daemon")
  package static let reason = "dbus-daemon is not installed: run scripts/setup-debian.sh"

  package init() throws {
    folder = FileManager.default.temporaryDirectory.appending(path: "bus-\(UUID().uuidString.prefix(8))")
    try FileManager.default.createDirectory(
      at: folder, withIntermediateDirectories: false, attributes: [.posixPermissions: 0o700])
    // Without folders of services, so that the bus starts no program of this machine.
    let configuration = """
      <busconfig><type>session</type><listen>unix:path=\(folder.path)/socket</listen><auth>EXTERNAL</auth>
      <policy context="default"><allow send_destination="*" eavesdrop="true"/><allow eavesdrop="true"/>
      <allow own="*"/></policy></busconfig>
      """
    let file = folder.appending(path: "bus.conf")
    try Data(configuration.utf8).write(to: file)
    let output = Foundation.Pipe.closedOnExec()
    daemon.executableURL = URL(filePath: "/usr/bin/dbus-daemon")
    daemon.arguments = ["--config-file=\(file.path)", "--print-address", "--nofork", "--nosyslog"]
    daemon.standardOutput = output
    daemon.standardError = FileHandle.nullDevice
    try daemon.start()
    var text = Data()
    while !text.contains(UInt8(ascii: "\n")) {
      let piece = output.fileHandleForReading.availableData
      guard !piece.isEmpty else { break }
      text += piece
    }
    address = String(decoding: text.prefix { $0 != UInt8(ascii: "\n") }, as: UTF8.self)
  }

  deinit {
    end()
    try? FileManager.default.removeItem(at: folder)
  }

  /// Ends the bus, as a logout does.
  package func end() {
    guard daemon.isRunning else { return }
    // A thread of the tests may have handed on that other signals are blocked.
    kill(daemon.processIdentifier, SIGKILL)
  }

  package func connected() throws -> Bus { try Bus(address: address) }
}
