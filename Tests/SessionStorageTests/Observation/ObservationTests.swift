import Testing

@testable import SessionStorage

/// The time limit ends tests that wait for a change that is never reported.
@Suite(.timeLimit(.minutes(5))) struct ObservationTests {
  private let place: Workplace

  init() throws { place = try Workplace() }

  @Test(arguments: Kind.allCases) func committedChangesAreReported(kind: Kind) async throws {
    let database = try kind.open(place)
    let observation = database.observations.observe(.notes)
    let id = try await database.write { transaction in try transaction.insertNote("one") }
    let changes = try #require(await observation.next())
    #expect(changes.changes == [.note(id): .inserted])
    #expect(changes.number == 1)
    #expect(!changes.isExternal)
  }

  @Test(arguments: Kind.allCases) func rolledBackChangesAreNotReported(kind: Kind) throws {
    let database = try kind.open(place)
    let observation = database.observations.observe(.notes)
    try? database.write { transaction in
      try transaction.insertNote("one")
      throw StorageError(.interrupted, "no")
    }
    #expect(observation.fetch() == nil)
  }

  @Test func onlyObservedChangesAreReported() throws {
    let database = try Kind.memory.open(place)
    let second = database.observations.observe(.note(2))
    try database.write { transaction in _ = try transaction.insertNote("one") }
    #expect(second.fetch() == nil)
    try database.write { transaction in _ = try transaction.insertNote("two") }
    #expect(second.fetch()?.changes == [.note(2): .inserted])
    // Something that is said of all concerns each.
    try database.write { transaction in transaction.note(.deleted, .notes) }
    #expect(second.fetch()?.changes == [.notes: .deleted])
  }

  @Test func slowObserversGetOneMergedReport() throws {
    let database = try Kind.memory.open(place)
    let observation = database.observations.observe(.notes)
    for number in 1...3 {
      try database.write { transaction in
        try transaction.insertNote("\(number)")
        transaction.note(.updated, .note(1))
      }
    }
    let changes = try #require(observation.fetch())
    #expect(changes.changes == [.note(1): [.inserted, .updated], .note(2): .inserted, .note(3): .inserted])
    #expect(changes.number == 3)
    #expect(observation.fetch() == nil)
  }

  @Test func tooManyThingsBecomeTheirKind() throws {
    let database = try Kind.memory.open(place)
    let all = database.observations.observe(.notes)
    let one = database.observations.observe(.note(5))
    for _ in 0..<2 {
      try database.write { transaction in
        for number in 0..<Int64(ChangeSet.maxKeys) * 3 / 4 { transaction.note(.updated, .note(number)) }
      }
      try database.write { transaction in
        for number in 0..<Int64(ChangeSet.maxKeys) * 3 / 4 {
          transaction.note(.inserted, .note(10_000 + number))
        }
      }
    }
    #expect(all.fetch()?.changes == [.notes: [.updated, .inserted]])
    #expect(one.fetch()?.changes == [.note(5): .updated])
  }

  @Test func commitsAreToldInOrder() async throws {
    let database = try Kind.file.open(place)
    let observation = database.observations.observe(.notes)
    let reading = Task {
      var numbers: [UInt64] = []
      for await changes in observation {
        numbers.append(changes.number)
        if changes.number == 200 { break }
      }
      return numbers
    }
    try await withThrowingTaskGroup { group in
      for number in 0..<200 {
        group.addTask {
          try await database.write(.relaxed) { transaction in _ = try transaction.insertNote("\(number)") }
        }
      }
      try await group.waitForAll()
    }
    let numbers = await reading.value
    #expect(numbers == numbers.sorted() && numbers.last == 200)
  }

  @Test func reportedChangesAreCommitted() async throws {
    let database = try Kind.file.open(place)
    let observation = database.observations.observe(.notes)
    let reading = Task {
      var seen = 0
      while seen < 50, let changes = await observation.next() {
        for key in changes.changes.keys {
          guard case .row(let id)? = key.subject else { continue }
          seen += 1
          let isThere = try await database.read { transaction in
            try transaction.exists("SELECT 1 FROM note WHERE id = ?", id)
          }
          #expect(isThere)
        }
      }
    }
    for number in 0..<50 {
      try await database.write(.relaxed) { transaction in _ = try transaction.insertNote("\(number)") }
    }
    try await reading.value
  }

  @Test func waitingEndsWithItsTask() async throws {
    let database = try Kind.memory.open(place)
    let observation = database.observations.observe(.notes)
    let waiting = Task { await observation.next() }
    await Task.yield()
    waiting.cancel()
    #expect(await waiting.value == nil)
  }

  @Test func anObservationThatIsDroppedIsForgotten() throws {
    let database = try Kind.memory.open(place)
    var observation: Observation? = database.observations.observe(.notes)
    #expect(database.observations.count == 1)
    _ = observation?.fetch()
    observation = nil
    #expect(database.observations.count == 0)
  }

  @Test func olderObservationsGetChangesFirst() throws {
    let center = ObservationCenter()
    let observations = (0..<100).map { _ in center.observe(.notes) }
    #expect(center.retained.map { ObjectIdentifier($0) } == observations.map { ObjectIdentifier($0) })
    center.announce(.note(1))
    for observation in observations { #expect(observation.fetch()?.changes == [.note(1): .updated]) }
  }

  @Test func changesOutsideTheDatabaseCanBeAnnounced() throws {
    let database = try Kind.memory.open(place)
    let observation = database.observations.observe(.notes)
    database.observations.announce(.note(4))
    #expect(observation.fetch()?.changes == [.note(4): .updated])
  }

  @Test func anotherProcessIsHeard() async throws {
    // Two databases of one file know as much of each other as two processes do.
    let one = try Kind.file.open(place)
    let two = try Kind.file.open(place)
    let first = one.observations.observe(.notes)
    let second = two.observations.observe(.notes)
    try await one.write { transaction in _ = try transaction.insertNote("one") }
    #expect(try #require(await second.next()).isExternal)
    #expect(try #require(await first.next()).changes == [.note(1): .inserted])
    try await two.write { transaction in _ = try transaction.insertNote("two") }
    #expect(try #require(await first.next()).isExternal)
    #expect(try #require(await second.next()).changes == [.note(2): .inserted])
    #expect(try await one.read { transaction in try transaction.notes } == ["one", "two"])
  }

  @Test func ownCommitsAreNotTakenForThoseOfOthers() async throws {
    let one = try Kind.file.open(place)
    let two = try Kind.file.open(place)
    let first = one.observations.observe(.notes)
    for number in 0..<20 {
      try await one.write { transaction in _ = try transaction.insertNote("\(number)") }
    }
    try await two.write { transaction in _ = try transaction.insertNote("last") }
    // All of its own come first, and then one of the other.
    var seen = ChangeSet()
    while !seen.isExternal { seen.append(try #require(await first.next())) }
    #expect(seen.changes.count == 20)
    #expect(first.fetch() == nil)
  }
}
