import SessionStorage
import Testing

@testable import SessionJobs

/// What one step of a runner begins.
@Suite struct StepTests {
  private let place: JobPlace

  init() throws { place = try JobPlace() }

  private struct Small: JobKind {
    static let kind = "small"
    static let queue = JobQueue("small")
  }

  @Test func aStepBeginsNoMoreThanItMayOfEachQueueInTurn() throws {
    let catalogue = try JobCatalogue([
      JobHandler(Single.self) { _, _ in .done }, JobHandler(Small.self) { _, _ in .done },
    ])
    var desk = JobDesk(catalogue, runner: "one", conditions: [], chance: { 0 })
    try place.write { transaction in
      for number in 0..<JobDesk.maxClaims { try transaction.enqueue(Single(name: "\(number)"), at: 1) }
      for _ in 0..<JobDesk.maxClaims { try transaction.enqueue(Small(), at: 1) }
      try desk.open(transaction, at: 1)
    }
    let orders = try place.write { transaction in try desk.step(transaction, JobDesk.Mail(), at: 1) }
    #expect(orders.isPartial)
    #expect(orders.starts.count == JobDesk.maxClaims)
    #expect(orders.starts.count { $0.kind == Small.kind } == JobDesk.maxClaims / 2)
    let rest = try place.write { transaction in try desk.step(transaction, JobDesk.Mail(), at: 1) }
    #expect(rest.starts.count == JobDesk.maxClaims && rest.starts.allSatisfy { !orders.starts.contains($0) })
  }
}
