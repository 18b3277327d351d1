import Foundation
import SessionService
import Synchronization
import Testing

@Suite struct ServiceLogTests {
  private final class Lines: Sendable {
    private let lines = Mutex<[String]>([])
    var all: [String] { lines.withLock { $0 } }
    func add(_ line: String) { lines.withLock { $0.append(line) } }
  }

  private func log(_ level: ServiceLog.Level, _ form: ServiceLog.Form, to lines: Lines) -> ServiceLog {
    ServiceLog(level: level, form: form, wallClock: { 1_700_000_000_123 }, write: lines.add)
  }

  @Test func aLineHasATimeALevelAnEventAndValues() {
    let lines = Lines()
    log(.info, .text, to: lines)(.warning, "new list", ["height": "7", "reason": "a \"b\"\nc", "empty": ""])
    #expect(
      lines.all == [#"2023-11-14T22:13:20.123Z warning new list height=7 reason="a \"b\"\u000ac" empty="""#])
  }

  @Test func aLineOfJSONIsAnObject() throws {
    let lines = Lines()
    log(.info, .json, to: lines)(.error, "new \"list\"", ["height": "7"])
    let object = try JSONSerialization.jsonObject(with: Data(try #require(lines.all.first).utf8))
    #expect(
      object as? [String: String] == [
        "time": "2023-11-14T22:13:20.123Z", "level": "error", "event": "new \"list\"", "height": "7",
      ])
  }

  @Test func lowerLevelsAreNotLogged() {
    let lines = Lines()
    let log = log(.warning, .text, to: lines)
    for level in ServiceLog.Level.allCases { log(level, level.name) }
    #expect(lines.all.count == 2)
    ServiceLog.silent(.error, "nothing")
  }
}
