import Foundation
import Glibc
import SessionTerminal
import Spawning
import Testing

@testable import SessionCLI

@Suite struct PipedLinesTests {
  private let pipe = Pipe.closedOnExec()

  private func lines(_ text: String, limit: Int = 8) throws -> PipedLines {
    try pipe.fileHandleForWriting.write(contentsOf: Data(text.utf8))
    return PipedLines(try WakingInput.reading(pipe.fileHandleForReading.fileDescriptor), limit: limit)
  }

  @Test func linesComeOneAtATime() throws {
    let lines = try lines("one\n\ntwo\n12345678\nhalf")
    try pipe.fileHandleForWriting.close()
    var got: [ChatInput] = []
    while let input = lines.next() { got.append(input) }
    #expect(got == [.line("one"), .line("two"), .line("12345678"), .line("half")])
  }

  @Test(arguments: ["123456789\nthree\n", "123456789"])
  func aLineThatIsTooLongIsNamedAndNothingComesBehindIt(rest: String) throws {
    let lines = try lines("one\n\n" + rest)
    #expect(lines.next() == .line("one"))
    #expect(lines.next() == .tooLong(line: 3))
    #expect(lines.next() == nil)
  }

  @Test func aLineThatIsNoTextIsNamedAndNothingComesBehindIt() throws {
    try pipe.fileHandleForWriting.write(contentsOf: Data("one\ncaf\u{E9}\n".utf8) + [0x63, 0xE9, 0x0A, 0x0A])
    let lines = PipedLines(try WakingInput.reading(pipe.fileHandleForReading.fileDescriptor), limit: 8)
    #expect(lines.next() == .line("one"))
    #expect(lines.next() == .line("caf\u{E9}"))
    #expect(lines.next() == .notText(line: 3))
    #expect(lines.next() == nil)
  }

  @Test func unrequestedLinesStayInThePipe() throws {
    let lines = try lines(String(repeating: "line\n", count: 10_000))
    #expect(lines.next() == .line("line"))
    var left: CInt = 0
    #expect(ioctl(pipe.fileHandleForReading.fileDescriptor, UInt(FIONREAD), &left) == 0)
    #expect(left > 40_000)
  }

  @Test func nothingIsWaitedForOnceItIsClosed() throws {
    let lines = try lines("one\nhalf")
    #expect(lines.next() == .line("one"))
    lines.close()
    #expect(lines.next() == nil)
  }
}
