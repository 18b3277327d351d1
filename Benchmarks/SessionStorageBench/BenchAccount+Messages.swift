import Measuring
import SessionStorage

extension BenchAccount {
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
