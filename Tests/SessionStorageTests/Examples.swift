import Foundation
import SessionCore
import Testing

@testable import SessionStorage

/// A folder for one test, which goes with it.
final class Workplace: Sendable {
  let path: String

  /// In memory, where the system has a place for that, when there is much to write.
  init(inMemory: Bool = false) throws {
    let root = inMemory && access("/dev/shm", W_OK) == 0 ? "/dev/shm" : NSTemporaryDirectory()
    var template = Array("\(root)/storage.XXXXXX".utf8CString)
    try #require(mkdtemp(&template) != nil)
    path = String(decoding: template.dropLast().map(UInt8.init(bitPattern:)), as: UTF8.self)
  }

  deinit { try? FileManager.default.removeItem(atPath: path) }

  /// The path of the database.
  var file: String { path + "/account.db" }

  /// Takes away what is in it.
  func clear() throws {
    for name in try names { try FileManager.default.removeItem(atPath: "\(path)/\(name)") }
  }

  var names: [String] { get throws { try FileManager.default.contentsOfDirectory(atPath: path).sorted() } }

  func content(_ ending: String = "") throws -> [UInt8] {
    Array(try Data(contentsOf: URL(filePath: file + ending)))
  }

  func setContent(_ content: some Sequence<UInt8>, _ ending: String = "") throws {
    try Data(content).write(to: URL(filePath: file + ending))
  }
}

extension DatabaseKey {
  /// The same key every time, and the others.
  static func example(_ number: UInt8 = 1) throws -> DatabaseKey {
    try DatabaseKey(SecretBytes(copying: [UInt8](repeating: number, count: byteCount)))
  }
}

extension DatabaseOptions {
  /// Without waiting for what does not happen in a test.
  static var impatient: DatabaseOptions {
    var options = DatabaseOptions()
    options.retries = []
    options.busyTimeout = .zero
    return options
  }
}

/// The smallest schema there is something to do with: notes.
extension Schema {
  static let notes = Schema(
    applicationID: 77,
    migrations: [
      Migration(
        1, "notes",
        sql: """
          CREATE TABLE note (id INTEGER PRIMARY KEY, text TEXT NOT NULL UNIQUE, parent INTEGER REFERENCES note);
          """)
    ])
}

extension ObservationKey {
  static let notes = ObservationKey(Topic(rawValue: "note"))
  static func note(_ id: Int64) -> ObservationKey { ObservationKey(notes.topic, .row(id)) }
}

extension WriteTransaction {
  @discardableResult
  func insertNote(_ text: String, parent: Int64? = nil) throws(StorageError) -> Int64 {
    let id = try insert("INSERT INTO note (text, parent) VALUES (?, ?)", text, parent)
    note(.inserted, .note(id))
    return id
  }
}

extension Reading where Self: ~Copyable {
  var notes: [String] {
    get throws(StorageError) { try values("SELECT text FROM note ORDER BY id") }
  }
}

extension Database {
  var notes: [String] { get throws { try read { transaction in try transaction.notes } } }

  func value<V: DatabaseValue>(_ sql: SQL) throws -> V? {
    try read { transaction in try transaction.value(sql) }
  }

  func values<V: DatabaseValue>(_ sql: SQL) throws -> [V] {
    try read { transaction in try transaction.values(sql) }
  }

  /// Opens the notes in a workplace.
  static func notes(
    in place: Workplace, key: DatabaseKey? = nil, schema: Schema = .notes,
    options: DatabaseOptions = .impatient
  ) throws -> Database {
    try open(place.file, key: try key ?? .example(), schema: schema, options: options)
  }
}

/// Both kinds of databases, which have to behave alike.
enum Kind: CaseIterable {
  case file
  case memory

  func open(_ place: Workplace) throws -> Database {
    switch self {
    case .file: try .notes(in: place)
    case .memory: try .inMemory(schema: .notes)
    }
  }
}

/// Expects that the body fails with `code`.
func expectFailure(
  _ code: StorageError.Code, sourceLocation: SourceLocation = #_sourceLocation, _ body: () throws -> Void
) {
  do {
    try body()
    Issue.record("it did not fail", sourceLocation: sourceLocation)
  } catch {
    #expect((error as? StorageError)?.code == code, "\(error)", sourceLocation: sourceLocation)
  }
}
