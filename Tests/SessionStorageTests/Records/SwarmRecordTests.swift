import Testing

@testable import SessionStorage

@Suite struct TombstoneTests {
  private let database: Database

  init() throws { database = try ExampleAccount.inMemory() }

  private func time(of address: String) throws -> Int64? {
    try database.read { transaction in try transaction.tombstone(of: address)?.at }
  }

  @Test func theLaterTimeStays() throws {
    try database.write { transaction in
      for time in [20, 30, 10] as [Int64] { try transaction.put(TombstoneRecord("a", at: time)) }
    }
    #expect(try time(of: "a") == 30)
    #expect(try time(of: "b") == nil)
  }

  @Test func theOldestBeyondTheLimitAreDeleted() throws {
    let extra = 5
    try database.write { transaction in
      for number in 0..<(TombstoneRecord.maxCount + extra) {
        try transaction.put(TombstoneRecord("\(number)", at: Int64(number)))
      }
      #expect(try transaction.trimTombstones(at: 0) == extra)
      #expect(try transaction.trimTombstones(at: 0) == 0)
    }
    #expect(try time(of: "\(extra - 1)") == nil)
    #expect(try time(of: "\(extra)") == Int64(extra))
  }
}

@Suite struct SwarmStepTests {
  private let database: Database
  private let group = ExampleAccount.groupID
  private let revoke = SwarmStepRecord.Request(.revoke, payload: [1])
  private let store = SwarmStepRecord.Request(.store, payload: [2], namespace: 11, lifetime: 3)

  init() throws { database = try ExampleAccount.inMemory() }

  private func steps(of owner: String) throws -> [SwarmStepRecord] {
    try database.read { transaction in try transaction.swarmSteps(of: owner) }
  }

  @Test func stepsAreInTheOrderInWhichTheyWereWritten() throws {
    let (first, second) = try database.write { transaction in
      let first = try transaction.insertSwarmSteps([store, revoke], of: group, at: 5)
      try transaction.insertSwarmSteps([revoke], of: "other", at: 5)
      return (first, try transaction.insertSwarmSteps([revoke, store], of: group, at: 6))
    }
    let steps = try steps(of: group)
    #expect(steps.map(\.request) == [store, revoke, revoke, store])
    #expect(steps.map(\.batch) == [first, first, second, second])
    #expect(steps.map(\.createdAt) == [5, 5, 6, 6])
    #expect(steps[0].id == first && steps[2].id == second)
  }

  @Test func batchIsOverWhenAllOfItsStepsAreDone() throws {
    let batches = try database.write { transaction in
      try (0..<2).map { _ in
        try #require(try transaction.insertSwarmSteps([revoke, store], of: group, at: 1))
      }
    }
    let all = try steps(of: group)
    let first = try database.write { transaction in try transaction.deleteSwarmSteps(Array(all.prefix(3))) }
    #expect(first == [batches[0]])
    let second = try database.write { transaction in try transaction.deleteSwarmSteps([all[3]]) }
    #expect(second == [batches[1]])
  }

  @Test func refusedBatchIsDroppedAlone() throws {
    try database.write { transaction in
      let batch = try #require(try transaction.insertSwarmSteps([revoke, store], of: group, at: 1))
      try transaction.insertSwarmSteps([store], of: group, at: 1)
      try transaction.deleteSwarmSteps(ofBatch: batch, of: group)
    }
    #expect(try steps(of: group).map(\.request) == [store])
  }

  @Test func batchNumbersAreNeverUsedAgain() throws {
    let numbers = try database.write { transaction in
      try (0..<3).map { _ in
        let batch = try transaction.insertSwarmSteps([revoke], of: group, at: 1)
        try transaction.deleteSwarmSteps(of: group)
        return batch
      }
    }
    #expect(Set(numbers).count == 3)
    #expect(try steps(of: group) == [])
  }

  @Test func noStepsAreNoBatch() throws {
    let batch = try database.write { transaction in
      try transaction.insertSwarmSteps([], of: group, at: 1)
    }
    #expect(batch == nil)
  }
}
