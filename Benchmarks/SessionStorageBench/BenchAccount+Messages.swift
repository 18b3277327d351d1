import SessionCore
import SessionStorage
import StorageFloor

/// The databases that are measured, and what is done with them.
struct BenchAccount {
  static let key = [UInt8](repeating: 7, count: DatabaseKey.byteCount)

  let path: String
  let database: Database

  init(_ path: String) throws {
    self.path = path
    database = try Self.open(path)
  }

  static func open(_ path: String) throws -> Database {
    try Database.open(path, key: DatabaseKey(SecretBytes(copying: key)), schema: .account)
  }

  /// Opens the same file for the floor.
  func openFloor() -> OpaquePointer { Self.openFloor(path) }

  static func openFloor(_ path: String) -> OpaquePointer { floor_open(path, key) }

  func insertTogether(_ messages: [Message], into address: String, areRead: Bool = false) throws {
    try database.write(.relaxed) { transaction in
      let thread = try transaction.obtainThread(at: address, .contact, createdAt: 1)
      for message in messages {
        var record = message.record(in: thread.id)
        record.wasRead = areRead
        try transaction.insert(record)
      }
    }
  }

  func insertAlone(_ messages: [Message], into address: String) throws {
    let thread = try database.write(.relaxed) { transaction in
      try transaction.obtainThread(at: address, .contact, createdAt: 1)
    }
    for message in messages {
      try database.write(.relaxed) { transaction in
        _ = try transaction.insert(message.record(in: thread.id))
      }
    }
  }

  func page(of thread: ThreadRecord.ID, before place: InteractionPlace) throws -> [InteractionRecord] {
    try database.read { transaction in try transaction.page(of: thread, before: place, limit: 50) }
  }

  func search(_ words: String) throws -> [InteractionRecord] {
    try database.read { transaction in try transaction.search(words, limit: 50).found }
  }

  func unreadCounts() throws -> [UnreadCount] {
    try database.read { transaction in try transaction.unreadCounts() }
  }
}

/// Addresses that no conversation has yet.
struct Addresses {
  private var count = 0

  mutating func next() -> String {
    count += 1
    let number = String(count, radix: 16)
    return "05" + String(repeating: "0", count: 64 - number.utf8.count) + number
  }
}
