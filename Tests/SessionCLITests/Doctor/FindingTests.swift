import SessionCore
import SessionStorage
import Testing

@testable import SessionCLI

/// `doctor` turns its observations into findings.
@Suite struct FindingTests {
  @Test(
    arguments: [
      (0, Finding.State.failed), (19_999_999, .failed), (20_000_000, .warning), (199_999_999, .warning),
      (200_000_000, .ok), (.max, .ok),
    ] as [(UInt64, Finding.State)])
  func spaceIsJudged(free: UInt64, state: Finding.State) {
    #expect(MachineCheckup.space(free: free, in: "/").state == state)
  }

  @Test(
    arguments: [
      (0, Finding.State.ok), (9_999, .ok), (10_000, .warning), (-10_000, .warning), (59_999, .warning),
      (60_000, .failed), (-60_000, .failed),
    ] as [(Int64, Finding.State)])
  func aClockThatIsWrongIsNoticed(ahead: Int64, state: Finding.State) {
    let finding = NetworkCheckup.time(ahead: ahead)
    #expect(finding.state == state)
    #expect((finding.advice == nil) == (state == .ok))
    #expect(state == .ok || finding.text.contains(ahead < 0 ? "behind" : "ahead"))
  }

  @Test func aClockThatWasNeverSetHasFailed() {
    let checkup = MachineCheckup(roots: StorageRoots(inside: "/"), now: 1_600_000_000_000)
    let clock = checkup.findings().first { $0.check == "clock" }
    #expect(clock?.state == .failed)
    #expect(clock?.status == .system)
    #expect(clock?.text == "it shows 2020-09-13T12:26:40Z, which is long past")
  }

  @Test func nothingThatIsSaidMovesTheCursor() {
    let finding = Finding.failed("folders", "a\u{1B}[2J", advice: "b\u{7}", .io)
    let text = finding.parts.map { part in
      switch part {
      case .text(let text), .heading(let text): text
      default: ""
      }
    }.joined()
    #expect(text == "failed   folders       a\u{FFFD}[2J\n                       b\u{FFFD}\n")
  }
}
