import Foundation
import SessionCore
import SessionService
import Synchronization
import Testing

@testable import SessionNode

/// Whom a registry lets in, and which lists of them it does not believe.
@Suite(.timeLimit(.minutes(5))) final class AdmissionTests {
  private let folder = freshPath()
  private let list: AllowList
  private let keys = (1...4).map { [UInt8](repeating: $0, count: 32) }
  private let told = Told()

  init() throws {
    try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
    list = AllowList(path: folder + "/allowed")
  }

  deinit { try? FileManager.default.removeItem(atPath: folder) }

  private func write(_ allowed: [[UInt8]]) throws {
    try allowed.map { $0.hex + "\n" }.joined().write(toFile: list.path, atomically: true, encoding: .utf8)
  }

  private func admission() throws -> Admission {
    var admission = Admission(list, members: [], log: told.log)
    try admission.begin()
    return admission
  }

  private func allowed(by admission: Admission) -> [[UInt8]] { keys.filter(admission.allows) }

  @Test func missingAllowListRemovesNoNode() throws {
    try write(keys)
    var admission = try admission()
    #expect(allowed(by: admission) == keys)
    try FileManager.default.removeItem(atPath: list.path)
    for _ in 0..<3 { admission.read(members: keys) }
    #expect(allowed(by: admission) == keys)
    #expect(told.count(of: "cannot be read") == 1)
    #expect(throws: NodeFailure.allowListMissing(list.path)) { try admission.confirm() }
    try write(Array(keys.dropLast()))
    admission.read(members: keys)
    #expect(allowed(by: admission) == Array(keys.dropLast()))
  }

  @Test func aListWithoutMostMembersWaitsForTheOperator() throws {
    try write(keys)
    var admission = try admission()
    for lacking in [[], [keys[0]]] {
      try write(lacking)
      for _ in 0..<3 { admission.read(members: keys) }
      #expect(allowed(by: admission) == keys)
      #expect(admission.awaitsConfirmation)
    }
    #expect(told.count(of: "lacks most nodes") == 2)
    try admission.confirm()
    #expect(allowed(by: admission) == [keys[0]])
    #expect(!admission.awaitsConfirmation)
  }

  @Test func halfOfTheMembersMayGoAtOnce() throws {
    try write(keys)
    var admission = try admission()
    try write(Array(keys[0..<2]))
    admission.read(members: keys)
    #expect(allowed(by: admission) == Array(keys[0..<2]))
  }

  @Test func registryStartedWithoutAllowListKeepsListedNodes() throws {
    var admission = Admission(list, members: keys, log: told.log)
    try admission.begin()
    #expect(allowed(by: admission) == keys)
    try "nonsense\n".write(toFile: list.path, atomically: true, encoding: .utf8)
    #expect(throws: NodeFailure.allowList(list.path, line: 1)) { try admission.begin() }
  }

  @Test func refusalsAreToldOnceAMinuteAndNotWithoutEnd() {
    var refusals = Refusals()
    let minute: UInt64 = 60_000_000_000
    let times = [minute, 2 * minute - 1, 2 * minute]
    #expect(times.map { refusals.isNews([1], now: $0) } == [true, false, true])
    let others = (0..<100).filter { refusals.isNews([2, $0], now: 2 * minute + 1) }
    #expect(others.count == Refusals.most - 1)
  }
}

/// Lines that a server told.
final class Told: Sendable {
  private let lines = Mutex<[String]>([])
  private let coming: AsyncStream<String>
  private let telling: AsyncStream<String>.Continuation

  init() { (coming, telling) = AsyncStream.makeStream() }

  var log: ServiceLog {
    ServiceLog(level: .debug) { line in
      self.lines.withLock { $0.append(line) }
      self.telling.yield(line)
    }
  }

  func count(of text: String) -> Int { lines.withLock { $0.count { $0.contains(text) } } }

  /// Returns when a line with a text was told. One reader at a time.
  func wait(for text: String) async {
    for await line in coming where line.contains(text) { return }
  }
}
