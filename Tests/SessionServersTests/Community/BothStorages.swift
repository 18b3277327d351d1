import Foundation
import SessionBase
import SessionStorage
import Synchronization
import TestPostgreSQL
import Testing

/// The databases of PostgreSQL that a test uses: one for each folder of a server.
final class TestDatabases: Sendable {
  /// Those of the test that runs; nil where servers have their files.
  @TaskLocal static var current: TestDatabases?

  let instance: PostgreSQLInstance
  /// True if the content of files is in rows as well.
  let haveFiles: Bool
  private let names = Mutex<[String: String]>([:])

  init(_ instance: PostgreSQLInstance, haveFiles: Bool) {
    (self.instance, self.haveFiles) = (instance, haveFiles)
  }

  func name(for folder: String) throws -> String {
    try names.withLock { names in
      if let name = names[folder] { return name }
      let name = try instance.takeDatabase()
      names[folder] = name
      return name
    }
  }

  func address(for folder: String) throws -> PostgreSQLAddress {
    try instance.address(of: try name(for: folder))
  }

  func giveBack() throws {
    for name in names.withLock({ $0.values }) { try instance.giveBack(name) }
  }
}

/// Runs each test several times: with servers that have their rows in files, and with ones that have them in PostgreSQL.
struct BothStorages: SuiteTrait, TestTrait, TestScoping {
  /// Where the content of files is with PostgreSQL: in rows, in folders, or in one and then in the other.
  let filesInRows: [Bool]

  var isRecursive: Bool { true }

  func provideScope(
    for test: Test, testCase: Test.Case?, performing function: @Sendable () async throws -> Void
  ) async throws {
    try await function()
    let instance: PostgreSQLInstance
    do {
      instance = try await WorkerQueue("session.tests.postgresql").run { try PostgreSQLInstance.shared.get() }
    } catch {
      return complain("\(test.name) has run without PostgreSQL: \(error)")
    }
    for inRows in filesInRows {
      let databases = TestDatabases(instance, haveFiles: inRows)
      do { try await TestDatabases.$current.withValue(databases) { try await function() } } catch {
        complain("\(test.name) has failed on PostgreSQL, with files in \(inRows ? "rows" : "folders")")
        throw error
      }
      try databases.giveBack()
    }
  }

  private func complain(_ text: String) {
    try? FileHandle.standardError.write(contentsOf: Data((text + "\n").utf8))
  }
}

extension Trait where Self == BothStorages {
  /// With PostgreSQL the content of files is in rows.
  static var onBothStorages: Self { BothStorages(filesInRows: [true]) }
  /// With PostgreSQL the content of files is in folders.
  static var onBothStoragesWithFolders: Self { BothStorages(filesInRows: [false]) }
  /// With PostgreSQL the content of files is in rows, and then in folders.
  static var onAllStorages: Self { BothStorages(filesInRows: [true, false]) }
}
