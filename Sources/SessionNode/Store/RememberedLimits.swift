/// How many rows a store remembers of what clients deleted and revoked, of all accounts together.
///
/// Accounts cost nothing, so a limit for each of them bounds nothing. These rows take at most an eighth of what the
/// store may have, and none of it from messages: a full store still deletes.
struct RememberedLimits: Sendable {
  /// Messages that were deleted here, and times at which many were.
  let deletions, clearings: Int
  /// Deletions of messages that were not here.
  let absences: Int
  let revocations: Int

  /// The size of a row, including indexes.
  private static let rowBytes = 256
  private static let mostBytes = 256 * 1024 * 1024

  init(ofStoreWith maxBytes: Int) {
    let rows = max(min(maxBytes / 8, Self.mostBytes) / Self.rowBytes, 64)
    (deletions, absences, clearings, revocations) = (rows / 2, rows / 4, rows / 8, rows / 8)
  }
}
