import Foundation
import SessionBase
import Testing

@testable import SessionStorage

/// Putting a salvaged database in the place of a damaged one.
@Suite struct ReplacingTests {
  private let place: Workplace
  private var file: DatabaseFile { DatabaseFile(path: place.file) }
  private var other: DatabaseFile { DatabaseFile(path: place.path + "/other.db") }

  init() throws { place = try Workplace(inMemory: true) }

  private func notes(_ path: String) throws -> [String] {
    let database = try Database.open(path, key: .example(), schema: .notes, options: .impatient)
    let notes = try database.notes
    try database.close()
    return notes
  }

  /// Two databases: what is in the first is still in its log, as a program leaves it that was killed.
  private func makeBoth() throws {
    let model = try Workplace(inMemory: true)
    let database = try Database.open(model.file, key: .example(), schema: .notes, options: .impatient)
    try database.write { transaction in _ = try transaction.insertNote("old") }
    for ending in ["", "-wal", "-shm"] { try place.setContent(try model.content(ending), ending) }
    try database.close()
    #expect(file.hasLog)
    let salvaged = try Database.open(other.path, key: .example(), schema: .notes, options: .impatient)
    try salvaged.write { transaction in _ = try transaction.insertNote("new") }
    try salvaged.close()
  }

  /// Being killed behind each step, the one that gives the file its second name among them.
  @Test(arguments: 0...5)
  func oneOfBothIsInUseWholeWhenItIsKilled(behind count: Int) throws {
    try makeBoth()
    let steps = DatabaseFile.replacement(by: other.path)
    try #require(steps.count == 5)
    for step in steps.prefix(count) { try file.take(step) }
    #expect(try notes(file.path) == [count < 5 ? "old" : "new"])
    let isKept = FileManager.default.fileExists(atPath: file.damaged)
    #expect(isKept == (count == 5))
    guard !isKept else { return }
    // The next attempt is not hindered.
    for step in DatabaseFile.replacement(by: other.path) { try file.take(step) }
    #expect(try notes(file.path) == ["new"])
    #expect(try notes(file.damaged) == ["old"])
  }

  /// Being killed while that is taken back is as good.
  @Test(arguments: DatabaseFile.companions)
  func takingItBackCanBeInterrupted(ending: String) throws {
    try makeBoth()
    for step in DatabaseFile.replacement(by: other.path).dropLast() { try file.take(step) }
    rename(file.damaged + ending, file.path + ending)
    #expect(try notes(file.path) == ["old"])
    #expect(!FileManager.default.fileExists(atPath: file.damaged))
  }

  @Test func readersPreventReplacement() throws {
    let reader = try Database.notes(in: place)
    expectFailure(.locked) { _ = try DatabaseUse(.whole, of: file) }
    try reader.close()
    let use = try DatabaseUse(.whole, of: file)
    expectFailure(.locked) { _ = try Database.notes(in: place) }
    withExtendedLifetime(use) {}
  }

  @Test func anAccountIsSalvagedInItsPlace() throws {
    let account = try AccountFolder("alice", in: StorageRoots(inside: place.path))
    try account.prepare()
    let key = try DatabaseKey.example()
    let database = try Database.open(account.database, key: key, schema: .account)
    expectFailure(.locked) { _ = try account.replaceDamagedDatabase(key: key) }
    try database.close()
    try Data([1]).write(to: URL(filePath: account.database + ".salvaged"))
    #expect(try account.replaceDamagedDatabase(key: key).isWhole)
    // The companions of the damaged database are gone from its old name.
    let names = try Folder.names(in: account.data).filter { $0.hasPrefix("messages.db") }
    #expect(Set(names).isSuperset(of: ["messages.db", "messages.db.damaged"]))
    #expect(!names.contains { $0.hasPrefix("messages.db-") || $0.hasPrefix("messages.db.salvaged") })
    // A second one would take the first away.
    expectFailure(.duplicate) { _ = try account.replaceDamagedDatabase(key: key) }
    try Database.open(account.database, key: key, schema: .account).close()
  }
}
