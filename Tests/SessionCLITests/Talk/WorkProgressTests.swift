import Synchronization
import Testing

@testable import SessionCLI

@Suite struct WorkProgressTests {
  @Test func doneIsCountedFromTheMostThatWasLeft() {
    var meter = WorkMeter("inviting members")
    #expect(meter.line(width: 60) == "inviting members")
    meter.take(1)
    #expect(meter.line(width: 60) == "inviting members")
    meter.take(4)
    #expect(meter.line(width: 60) == "inviting members [----------------------------]   0%  0 of 4")
    meter.take(1)
    #expect(meter.line(width: 60) == "inviting members [#####################-------]  75%  3 of 4")
    meter.take(6)
    #expect(meter.line(width: 60).hasSuffix("  0%  0 of 6"))
    #expect(meter.line(width: 6) == "invit…")
  }

  /// Returns the output that is drawn while two jobs report progress.
  private func drawn(_ label: String?) async throws -> String {
    let drawn = Mutex("")
    var io = CommandIO.reading("")
    io.messageColumns = { 80 }
    io.draw = { text in drawn.withLock { $0 += text } }
    let result = try await WorkProgress(label, io).following { tell in
      tell(2)
      return 7
    }
    #expect(result == 7)
    return drawn.withLock { $0 }
  }

  @Test func theLineIsDrawnAndErased() async throws {
    let drawn = try await drawn("creating the group")
    #expect(drawn.hasPrefix("\rcreating the group\u{1B}[K") && drawn.hasSuffix("\r\u{1B}[K"))
  }

  @Test func nothingIsDrawnWithoutALabel() async throws {
    #expect(try await drawn(nil) == "")
  }
}
