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
  private let names = Mutex<[String: String]>([:])

  init(_ instance: PostgreSQLInstance) { self.instance = instance }

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

/// Runs each test twice: with servers that have their rows in files, and with ones that have them in PostgreSQL.
struct BothStorages: SuiteTrait, TestTrait, TestScoping {
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
    let databases = TestDatabases(instance)
    do { try await TestDatabases.$current.withValue(databases) { try await function() } } catch {
      complain("\(test.name) has failed on PostgreSQL")
      throw error
    }
    try databases.giveBack()
  }

  private func complain(_ text: String) {
    try? FileHandle.standardError.write(contentsOf: Data((text + "\n").utf8))
  }
}

extension Trait where Self == BothStorages {
  static var onBothStorages: Self { BothStorages() }
}
