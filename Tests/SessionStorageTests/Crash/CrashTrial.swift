import Foundation
import Testing

@testable import SessionStorage

/// The commits of a program on a recorded disk, and the states that may be found after a crash at any step.
///
/// A state is what the program can read. Each commit leads from one to the next, and has an end: from then on, others may
/// have been told of it, so the state must not be an earlier one any more.
final class CrashTrial<State: Hashable> {
  private struct Commit {
    /// How many steps there were before it, and after it.
    let began: Int
    let ended: Int
    /// True if the commit must survive a power cut.
    let isDurable: Bool
  }

  let place: Workplace
  let disk: RecordedDisk
  private(set) var states: [State]
  private var commits: [Commit] = []

  /// Records what is done in a folder from now on.
  init(_ place: Workplace, from state: State) throws {
    self.place = place
    states = [state]
    disk = try RecordedDisk(place)
  }

  /// Does something, once, that leads to another state.
  func commit(isDurable: Bool = true, _ body: () throws -> Void, then state: () throws -> State) throws {
    let began = disk.count
    try body()
    commits.append(Commit(began: began, ended: disk.count, isDurable: isDurable))
    states.append(try state())
  }

  /// Likewise for what takes several transactions, and waits between them.
  func commit(_ body: () async throws -> Void, then state: () throws -> State) async throws {
    let began = disk.count
    try await body()
    commits.append(Commit(began: began, ended: disk.count, isDurable: true))
    states.append(try state())
  }

  /// The numbers of the states that may be found after so many steps.
  func allowed(after steps: Int, losing loss: RecordedDisk.Loss) -> ClosedRange<Int> {
    // A write that was torn is one that had not ended.
    let ended = loss == .tornWrite ? steps - 1 : steps
    let last = commits.lastIndex { $0.ended <= ended && ($0.isDurable || !loss.isPowerCut) }
    let begun = commits.lastIndex { $0.began < steps }
    let first = last.map { $0 + 1 } ?? 0
    return first...max(begun.map { $0 + 1 } ?? 0, first)
  }

  /// The kinds of loss to try after a number of steps: all of them, or, when time is short, a rotating selection.
  private static func losses(after steps: Int) -> [RecordedDisk.Loss] {
    guard !Soak.isOn else {
      return [.nothing, .tornWrite, .everything, .bytes] + Soak.seeds.map(RecordedDisk.Loss.some)
    }
    let random: [RecordedDisk.Loss] = steps % 3 == 0 ? [.some(seed: UInt64(steps))] : []
    return [steps % 2 == 0 ? .nothing : .tornWrite, .everything, .bytes] + random
  }

  /// Cuts the power after every step, in every way, and has each folder that is left looked at once, with the states
  /// that it may be in. Returns how many there were.
  @discardableResult
  func explore(
    sourceLocation: SourceLocation = #_sourceLocation,
    _ look: (Workplace, _ allowed: Set<State>) throws -> Void
  ) throws -> Int {
    disk.stop()
    let copy = try Workplace(inMemory: true)
    var seen: Set<[UInt64]> = []
    for steps in 0...disk.count {
      for loss in Self.losses(after: steps) {
        let allowed = allowed(after: steps, losing: loss)
        let key = [
          disk.sum(after: steps, losing: loss), UInt64(allowed.lowerBound), UInt64(allowed.upperBound),
        ]
        guard seen.insert(key).inserted else { continue }
        try copy.clear()
        try disk.restore(after: steps, losing: loss, into: copy)
        do {
          try look(copy, Set(states[allowed]))
        } catch {
          Issue.record(
            "after \(steps) of \(disk.count) steps, before «\(disk.description(of: steps))», losing \(loss): \(error)",
            sourceLocation: sourceLocation)
          return seen.count
        }
      }
    }
    return seen.count
  }
}

/// Why a crash was not survived.
struct NotSurvived: Error, CustomStringConvertible {
  let description: String

  init(_ description: String) { self.description = description }
}

extension CrashTrial where State == Fingerprint {
  /// A trial of a database that is there.
  convenience init(_ database: (Workplace) throws -> Database, in place: Workplace) throws {
    let opened = try database(place)
    let state = try Fingerprint(opened)
    try opened.close()
    try self.init(place, from: state)
  }

  func write(
    _ database: Database, _ durability: Database.Durability = .durable,
    _ body: (borrowing WriteTransaction) throws -> Void
  ) throws {
    try commit(isDurable: durability == .durable) {
      try database.write(durability, body)
    } then: {
      try Fingerprint(database)
    }
  }

  /// Opens each database that is left, as the program would, and sees that it is sound, in one of its states, and goes
  /// on from there; nil is for one of which there is nothing more to see.
  @discardableResult
  func survives(
    sourceLocation: SourceLocation = #_sourceLocation, opening: (Workplace) throws -> Database?,
    also look: (Workplace) throws -> Void = { _ in }
  ) throws -> Int {
    var count = 0
    return try explore(sourceLocation: sourceLocation) { copy, allowed in
      try look(copy)
      guard let database = try opening(copy) else { return }
      let report = try database.integrityCheck()
      guard report.isSound else { throw NotSurvived("\(report.damage) \(report.problems)") }
      let state = try Fingerprint(database)
      guard allowed.contains(state) else {
        throw NotSurvived("found \(state), not one of \(allowed.map(\.description))")
      }
      try database.close()
      count += 1
      if count % 32 == 0 { try self.goesOn(opening, copy) }
    }
  }

  /// Writes after the crash, and checks that the next opening finds the result.
  private func goesOn(_ opening: (Workplace) throws -> Database?, _ copy: Workplace) throws {
    let database = try #require(try opening(copy))
    try database.write { transaction in _ = try transaction.run("CREATE TABLE afterwards (id)") }
    try database.write { transaction in _ = try transaction.run("DROP TABLE afterwards") }
    let state = try Fingerprint(database)
    try database.close()
    let again = try #require(try opening(copy))
    guard try Fingerprint(again) == state, try again.integrityCheck().isSound else {
      throw NotSurvived("what was written afterwards is gone")
    }
    try again.close()
  }
}
