internal import SessionCore
public import SessionStorage

/// The record of a program that is killed at any moment, for checking what must be stored afterwards.
///
/// Each entry is one transaction with a number: an event, a message, a job, and a dump that is written over. All of it
/// follows from the number.
public enum Ledger {
  private static let person = "05" + String(repeating: "e", count: 64)

  /// The database in a folder, with a key that is no secret.
  public static func open(in folder: String) throws -> Database {
    let key = try DatabaseKey(SecretBytes(copying: [UInt8](repeating: 3, count: DatabaseKey.byteCount)))
    return try Database.open("\(folder)/ledger.db", key: key, schema: .account)
  }

  private static func dump(_ number: Int64) -> [UInt8] {
    Array(repeating: UInt8(truncatingIfNeeded: number), count: 5000 + Int(number % 7) * 1000)
  }

  /// Commits the entry of a number.
  public static func write(_ number: Int64, to database: Database) throws {
    try database.write { transaction in
      let thread = try transaction.obtainThread(at: person, .contact, createdAt: 1).id
      let message = try transaction.insert(
        InteractionRecord(
          in: thread, by: person, .incoming, body: "entry \(number)", sentAt: number, receivedAt: number,
          state: .received))
      try transaction.appendEvent("entry", at: number, thread: thread, interaction: message.id)
      try transaction.insert(
        JobRecord("entry", payload: [UInt8(truncatingIfNeeded: number)], queue: "q", createdAt: number))
      try transaction.put(ConfigDumpRecord("ledger", of: person, content: dump(number), at: number))
    }
  }

  /// Checks that the entries are numbered from 1 on, each once. Returns the last number, and the problems.
  public static func check(_ database: Database) throws -> (last: Int64, problems: [String]) {
    try database.read { transaction in
      let events = try transaction.events(after: EventRecord.ID(rawValue: 0), limit: .max)
      let last = Int64(events.count)
      var problems: [String] = []
      if events.map(\.at) != Array(1..<last + 1) { problems.append("events are lost, or doubled") }
      let thread = try transaction.thread(at: person)
      let messages = try thread.map { thread throws(StorageError) in
        try transaction.page(of: thread.id, limit: .max)
      }
      if messages?.map(\.sentAt).sorted() ?? [] != Array(1..<last + 1) {
        problems.append("messages are lost, or doubled")
      }
      let jobs = try transaction.jobs(.waiting, limit: .max)
      if jobs.map(\.createdAt).sorted() != Array(1..<last + 1) {
        problems.append("jobs are lost, or doubled")
      }
      let dumps = try transaction.configDumps()
      if dumps.map(\.content) != (last == 0 ? [] : [dump(last)]) {
        problems.append("the dump is another one")
      }
      return (last, problems)
    }
  }
}
