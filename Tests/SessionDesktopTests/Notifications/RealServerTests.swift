import Foundation
import Glibc
import PrivateBuses
import SessionBase
import Spawning
import Testing

@testable import SessionDesktop

private enum RealServer {
  static let isPossible =
    PrivateBus.isPossible
    && ["/usr/bin/dunst", "/usr/bin/Xvfb"].allSatisfy(FileManager.default.isExecutableFile)
}

/// A program that people use, on a screen in memory.
@Suite(
  .enabled(
    if: RealServer.isPossible, "dunst, Xvfb or dbus-daemon is not installed: run scripts/setup-debian.sh"
  ), .timeLimit(.minutes(2)))
struct RealServerTests {
  /// A program that ends with the test.
  private final class Running {
    private let process = Process()

    init(_ path: String, _ words: [String], _ environment: [String: String], output: Pipe? = nil) throws {
      process.executableURL = URL(filePath: path)
      process.arguments = words
      process.environment = environment
      process.standardInput = FileHandle.nullDevice
      process.standardOutput = output ?? FileHandle.nullDevice
      process.standardError = FileHandle.nullDevice
      try process.start()
    }

    deinit { if process.isRunning { kill(process.processIdentifier, SIGKILL) } }
  }

  @Test func dunstShowsReplacesAndCloses() async throws {
    let bus = try PrivateBus()
    let output = Pipe.closedOnExec()
    let screen = try Running(
      "/usr/bin/Xvfb", ["-displayfd", "1", "-screen", "0", "640x480x24"], [:], output: output)
    // It writes the number of its display when it is ready.
    let number = await WorkerQueue("test.screen").run {
      var text = Data()
      while !text.contains(UInt8(ascii: "\n")) {
        let piece = output.fileHandleForReading.availableData
        guard !piece.isEmpty else { break }
        text += piece
      }
      return String(decoding: text, as: UTF8.self).trimmingCharacters(in: .whitespacesAndNewlines)
    }
    try #require(!number.isEmpty)
    let (happenings, happening) = AsyncStream.makeStream(of: NotificationServer.Happening.self)
    let connection = try bus.connected()
    let server = NotificationServer(on: connection) { happening.yield($0) }
    try await WorkerQueue("test.bus").run { try server.start() }
    #expect(server.owner == nil)
    let dunst = try Running(
      "/usr/bin/dunst", [],
      [
        "DISPLAY": ":\(number)", "DBUS_SESSION_BUS_ADDRESS": bus.address, "HOME": bus.folder.path,
        "XDG_RUNTIME_DIR": bus.folder.path,
      ])
    var heard = happenings.makeAsyncIterator()
    #expect(await heard.next() == .replaced)
    let abilities = try await server.abilities()
    #expect(abilities.hasActions && abilities.hasMarkup && !abilities.hasReplies)
    #expect(try await server.information().name == "dunst")
    var facts = NoticeConversation(name: "Alice")
    facts.unread = 1
    var notice = Notice(.message, at: NoticePlace("me", .conversation("05ab")))
    notice.text = "<b>Hello</b> & <img src=x>"
    var bubble = Bubble(NoticeText(of: notice, count: 1, in: facts, .message))
    bubble.actions = [.open, .compose, .read]
    let id = try await server.show(bubble, replacing: nil)
    #expect(try await server.show(bubble, replacing: id) == id)
    let other = try await server.show(Bubble(NoticeText(summaryOf: 2, in: 2)), replacing: nil)
    #expect(other != id)
    await server.close(id)
    #expect(await heard.next() == .closed(id))
    await server.close(other)
    #expect(await heard.next() == .closed(other))
    withExtendedLifetime((screen, dunst)) {}
  }
}
