import SessionBase

extension WorkerQueue {
  /// Opens keys with passphrases, one at a time: each costs much memory, and one has to count before the next.
  static let passphrases = WorkerQueue("session.passphrases")
}
