import SessionStorage

/// The database in which the rows of a community server are.
protocol CommunityEngine: Sendable {
  /// The number of commits so far.
  var commitCount: UInt64 { get }
  /// True if other processes may work on the same rows and the same files.
  var isShared: Bool { get }
  /// What is changed.
  var news: any CommunityNews { get }
  /// Observes the changes of rooms, of this process and those that it hears of.
  func observeRooms() -> Observation

  /// Writes in a transaction that nothing within its scope runs beside. Another's failure does it no harm. It may run
  /// more than once.
  func write<R: Sendable>(
    _ scope: WriteScope, _ body: @escaping @Sendable (borrowing WriteTransaction) throws -> R
  ) async throws -> R
  func read<R: Sendable>(
    _ body: @escaping @Sendable (borrowing ReadTransaction) throws -> R
  ) async throws -> R
  /// Reads on the calling thread.
  func readHere<R>(_ body: (borrowing ReadTransaction) throws -> R) throws -> R

  /// True if this process does what one process does for all: it carries out what is due, and removes what is over.
  func keepsHouse() async -> Bool
  func close() throws(StorageError)
}

/// What a change is about. Where several processes change rows, those within the same scope wait for each other, so that
/// each sees the rights of its moment, and numbers become visible in their order.
enum WriteScope: Hashable, Sendable {
  /// Anything on the server: it runs beside no other change.
  case server
  /// A room, by its token.
  case room(String)
  /// Content of a file that has no row yet.
  case content
  /// A letter between two people, by their keys.
  case letter([UInt8], [UInt8])
}
