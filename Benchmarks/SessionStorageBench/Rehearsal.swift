import Measuring
import SessionStorage
import StorageFloor

/// Sees to it that the floor runs the statements that we run.
enum Rehearsal {
  static func run(in folder: String) throws {
    floor_watch_statements()
    let account = try BenchAccount(folder + "/rehearsal.db")
    var talk = Talk()
    try account.insertTogether(talk.messages(10), into: Message.authors[0])
    _ = try account.page(of: .init(rawValue: 1), before: .end)
    _ = try account.search(talk.common)
    _ = try account.unreadCounts()
    if let statement = floor_foreign_statement(FLOOR_OF_MESSAGES) {
      fatalError("SessionStorage does not run what the floor does: \(String(cString: statement))")
    }
    try account.database.close()
  }
}
