import Synchronization

/// The ids that people have signed with last, where the rows have others. They are written now and then: a person who
/// signs with several ids in turn must not cost a write for each request.
final class ShownIDs: Sendable {
  private let state = Mutex<[Int64: String]>([:])

  func note(_ id: String, of person: Int64) { state.withLock { $0[person] = id } }

  /// The ids that are to be written; they stay until `noteWritten`.
  var waiting: [Int64: String] { state.withLock { $0 } }

  func noteWritten(_ ids: some Sequence<(key: Int64, value: String)>) {
    state.withLock { state in
      for (person, id) in ids where state[person] == id { state[person] = nil }
    }
  }
}
