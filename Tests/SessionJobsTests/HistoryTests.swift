import JobHistories
import SessionStorage
import Testing

/// Random histories of jobs and their runner, compared with a model. `make soak` runs 100,000.
@Suite struct HistoryTests {
  @Test(arguments: 0..<4 as Range<UInt64>) func jobHistoriesMatchTheModel(part: UInt64) throws {
    let database = try Database.inMemory(schema: .account)
    let first = part * 1_000_000 + 1
    if let found = Histories.check(first..<first + 300, on: database) { Issue.record("\(found)") }
  }
}
