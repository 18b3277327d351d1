import Foundation
import Glibc
import PseudoTerminals
import SessionBase
import Testing

@testable import SessionTerminal

/// The interface on a terminal of its own. Whatever is awaited for longer than the limit ends, and fails.
@Suite(.timeLimit(.minutes(1))) struct FullScreenTests {
  /// A terminal with the interface on it, and what it has drawn.
  private final class Seat {
    let terminal: PseudoTerminal
    let screen: FullScreen
    let showing: Task<Void, Never>
    private var drawings: AsyncStream<String>.AsyncIterator
    private(set) var drawn = ""

    init(columns: UInt16 = 80) throws {
      terminal = try PseudoTerminal(columns: columns)
      let end = terminal.end.fileDescriptor
      let state = UIState(
        account: "alice", size: ScreenSize(columns: 1, rows: 1), now: Stage.noon, calendar: .universal)
      let screen = FullScreen(
        state, on: try #require(RawTerminal(input: end, output: end)), try #require(WakingInput(end)),
        try #require(TerminalCapabilities(environment: ["TERM": "xterm-256color", "LANG": "C.UTF-8"])),
        theme: nil,
        usesMouse: true, clock: { Stage.noon },
        edit: { $0 == "no" ? .failure("no editor") : .text($0 + " edited") })
      self.screen = screen
      drawings = terminal.drawings().makeAsyncIterator()
      showing = Task { await screen.run() }
    }

    /// Waits until these words were drawn; the spaces between words are not written.
    func see(_ texts: String...) async {
      while !texts.allSatisfy(drawn.contains), let piece = await drawings.next() { drawn += piece }
      for text in texts { #expect(drawn.contains(text)) }
    }

    func forget() { drawn = "" }
  }

  private func settings(_ terminal: PseudoTerminal) -> termios {
    var settings = termios()
    tcgetattr(terminal.end.fileDescriptor, &settings)
    return settings
  }

  @Test func whatItDoesToTheTerminalIsUndone() async throws {
    let seat = try Seat()
    await seat.see("conversations", "\u{1B}[?1049h", "\u{1B}[?2004h", "\u{1B}[?1006h")
    #expect(settings(seat.terminal).c_lflag & tcflag_t(ICANON | ECHO | ISIG) == 0)
    try seat.terminal.type("\u{11}")
    await seat.showing.value
    await seat.see(TerminalModes.leave)
    #expect(seat.drawn.hasSuffix(TerminalModes.leave))
    #expect(
      settings(seat.terminal).c_lflag & tcflag_t(ICANON | ECHO | ISIG) == tcflag_t(ICANON | ECHO | ISIG))
    #expect(seat.screen.ended.isOpen)
  }

  @Test func newsAreDrawnAndKeysAreCarriedOut() async throws {
    let seat = try Seat()
    seat.screen.tell(.conversations(Stage.people, requests: []))
    await seat.see("Martin")
    try seat.terminal.type("\r")
    #expect(await seat.screen.reads.next()?.effect == .load(conversation: Stage.bob, before: nil))
    seat.screen.tell(.page(conversation: Stage.bob, before: nil, Stage.talk, hasOlder: false))
    await seat.see("Perfect.")
    try seat.terminal.type("yes\r")
    var effects: [UIEffect] = []
    while effects.count < 2 { effects.append(try #require(await seat.screen.changes.next()).effect) }
    #expect(effects.contains(.send(conversation: Stage.bob, text: "yes", answering: nil, files: [])))
    try seat.terminal.type("\u{18}")
    await seat.see(TerminalModes.leave, "edited")
    seat.screen.tell(.end)
    await seat.showing.value
  }

  @Test func anEditorThatFailsIsNamed() async throws {
    let seat = try Seat()
    seat.screen.tell(.conversations(Stage.people, requests: []))
    await seat.see("Martin")
    try seat.terminal.type("\rno\u{18}")
    await seat.see(TerminalModes.leave, "editor")
    seat.screen.tell(.end)
    await seat.showing.value
  }

  @Test func answersOfTheTerminalChangeHowItIsDrawn() async throws {
    let seat = try Seat()
    await seat.see("\u{1B}[?2026$p", "conversations")
    seat.forget()
    try seat.terminal.type("\u{1B}[?2026;2$y\u{1B}]11;rgb:ffff/ffff/ffff\u{1B}\\\u{1B}[0n")
    await seat.see("\u{1B}[?2026h", "\u{1B}[?2026l")
    // Nothing of the answers was typed.
    #expect(!seat.drawn.contains("2026;2"))
    seat.screen.tell(.end)
    await seat.showing.value
  }

  @Test func keysAreToldAsBeforeWhenItIsLeft() async throws {
    let seat = try Seat()
    await seat.see("\u{1B}[?u", "conversations")
    try seat.terminal.type("\u{1B}[?0u")
    await seat.see("\u{1B}[>1u")
    seat.screen.tell(.end)
    await seat.showing.value
    await seat.see("\u{1B}[<1u" + TerminalModes.leave)
  }

  @Test(arguments: [(UInt16(0), UInt16(24)), (80, 0)])
  func aSizeOfNothingIsUnknown(columns: UInt16, rows: UInt16) throws {
    let terminal = try PseudoTerminal(columns: columns, rows: rows)
    let end = terminal.end.fileDescriptor
    #expect(try #require(RawTerminal(input: end, output: end)).size == nil)
  }

  @Test func anotherSizeIsDrawn() async throws {
    let seat = try Seat()
    await seat.see("conversations")
    try seat.terminal.resize(columns: 10, rows: 3)
    seat.screen.resize()
    await seat.see("small:")
    seat.screen.tell(.end)
    await seat.showing.value
  }

  @Test func theTerminalIsTakenAgainAfterAStop() async throws {
    let seat = try Seat()
    let end = seat.terminal.end.fileDescriptor
    await seat.see("conversations")
    // The shell has set the terminal for itself meanwhile.
    var shell = settings(seat.terminal)
    shell.c_lflag |= tcflag_t(ICANON | ECHO | ISIG)
    tcsetattr(end, TCSANOW, &shell)
    seat.forget()
    seat.screen.resume()
    await seat.see("\u{1B}[?1049h", "conversations")
    #expect(settings(seat.terminal).c_lflag & tcflag_t(ICANON | ECHO | ISIG) == 0)
    seat.screen.tell(.end)
    await seat.showing.value
  }

  /// Draws on a terminal until it takes nothing more, which is not read.
  private func fill(_ terminal: PseudoTerminal) throws {
    let path = try FileManager.default.destinationOfSymbolicLink(
      atPath: "/proc/self/fd/\(terminal.end.fileDescriptor)")
    let file = open(path, O_WRONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC)
    try #require(file >= 0)
    defer { close(file) }
    let bytes = [UInt8](repeating: UInt8(ascii: "."), count: 512)
    while write(file, bytes, bytes.count) > 0 {}
    while write(file, bytes, 1) > 0 {}
    #expect(errno == EAGAIN)
  }

  /// Waits until keys come one by one: what is typed before would come otherwise.
  private func untilRaw(_ terminal: PseudoTerminal) async {
    while settings(terminal).c_lflag & tcflag_t(ICANON) != 0, !Task.isCancelled { await Task.yield() }
  }

  private func screen(on terminal: PseudoTerminal) throws -> FullScreen {
    let end = terminal.end.fileDescriptor
    let state = UIState(
      account: "alice", size: ScreenSize(columns: 1, rows: 1), now: Stage.noon, calendar: .universal)
    return FullScreen(
      state, on: try #require(RawTerminal(input: end, output: end)), try #require(WakingInput(end)),
      try #require(TerminalCapabilities(environment: ["TERM": "xterm-256color", "LANG": "C.UTF-8"])),
      theme: nil, usesMouse: true, clock: { Stage.noon }, edit: { .text($0) })
  }

  @Test func aTerminalThatTakesNothingIsNotWaitedFor() async throws {
    let terminal = try PseudoTerminal(columns: 200, rows: 50)
    let screen = try screen(on: terminal)
    let showing = Task { await screen.run() }
    await untilRaw(terminal)
    try fill(terminal)
    screen.tell(.conversations(Stage.people, requests: []))
    // Keys are carried out all the same, and so is the end.
    try terminal.type("\r")
    #expect(await screen.reads.next()?.effect == .load(conversation: Stage.bob, before: nil))
    try terminal.type("yes\r")
    while let change = await screen.changes.next() {
      if change.effect == .send(conversation: Stage.bob, text: "yes", answering: nil, files: []) { break }
    }
    screen.tell(.end)
    await showing.value
    #expect(
      settings(terminal).c_lflag & tcflag_t(ICANON | ECHO | ISIG) == tcflag_t(ICANON | ECHO | ISIG))
  }

  @Test func aTerminalThatWasSlowShowsEverythingInTheEnd() async throws {
    let terminal = try PseudoTerminal(columns: 200, rows: 50)
    let screen = try screen(on: terminal)
    let showing = Task { await screen.run() }
    await untilRaw(terminal)
    try fill(terminal)
    screen.tell(.conversations(Stage.people, requests: []))
    try terminal.type("\r")
    #expect(await screen.reads.next()?.effect == .load(conversation: Stage.bob, before: nil))
    screen.tell(.page(conversation: Stage.bob, before: nil, Stage.talk, hasOlder: false))
    var drawings = terminal.drawings().makeAsyncIterator()
    var drawn = ""
    while !drawn.contains("Perfect."), let piece = await drawings.next() { drawn += piece }
    #expect(drawn.contains("Martin"))
    screen.tell(.end)
    await showing.value
    while !drawn.contains(TerminalModes.leave), let piece = await drawings.next() { drawn += piece }
    #expect(drawn.hasSuffix(TerminalModes.leave))
  }

  @Test func cancellationRestoresTheTerminal() async throws {
    let seat = try Seat()
    await seat.see("conversations")
    seat.showing.cancel()
    await seat.showing.value
    await seat.see(TerminalModes.leave)
  }
}
