import SessionCore
import SessionNetworking
import Synchronization

/// The read position of each node's mailboxes in this process: the cursor of the last poll, and the page size of the
/// next one.
///
/// A node that does not have the message at the cursor replies with its whole mailbox. So polls request a small page,
/// and double it as long as everything in the reply is new. If a reply begins before the cursor, the next poll uses
/// an older one: 1, 2, 4, 8 … messages back.
final class MailboxCursors: Sendable {
  struct Cursor: Hashable {
    /// The cursor of the last poll; nil for the beginning.
    var requested: String?
    /// The last message of the last reply: the node has it.
    var given: String?
    /// The number of consecutive replies that began before their cursor.
    var steps = 0
    var part = SwarmPoll.smallPart

    /// True if the last reply ended at the current cursor, so the node surely has it.
    var isFresh: Bool { requested != nil && requested == given }
  }

  private struct Key: Hashable {
    let node: String
    let namespace: StorageNamespace
  }

  /// Nodes come and go; beyond this many mailboxes, all cursors are reset.
  private static let mostCursors = 1024
  private let cursors = Mutex<[Key: Cursor]>([:])

  /// Records the cursor of a poll. Returns the page size as a part of the largest reply: the full size if the node is
  /// read for the first time, since everything is expected to be new.
  func begin(at node: String, _ namespace: StorageNamespace, after hash: String?) -> Int {
    cursors.withLock { cursors in
      let key = Key(node: node, namespace: namespace)
      if cursors.count > Self.mostCursors { cursors = [:] }
      let isFirst = hash == nil && cursors[key] == nil
      cursors[key, default: Cursor(part: isFirst ? 0 : SwarmPoll.smallPart)].requested = hash
      return cursors[key]?.part ?? SwarmPoll.smallPart
    }
  }

  func cursor(at node: String, _ namespace: StorageNamespace) -> Cursor {
    cursors.withLock { $0[Key(node: node, namespace: namespace)] ?? Cursor() }
  }

  /// Records the reply of a node. `isNewHere` is true if the node had sent none of it before, and `isNew` if no other
  /// node had either.
  func advance(
    at node: String, _ namespace: StorageNamespace, to hash: String?, isNewHere: Bool, isNew: Bool
  ) {
    cursors.withLock { cursors in
      let key = Key(node: node, namespace: namespace)
      var cursor = cursors[key] ?? Cursor()
      cursor.steps = 0
      cursor.given = hash ?? cursor.given
      if !isNewHere { cursor.part = SwarmPoll.smallPart } else if isNew { cursor.part /= 2 }
      cursors[key] = cursor
    }
  }

  /// Records that a node does not have the message at the cursor. Returns the number of messages to go back.
  func stepBack(at node: String, _ namespace: StorageNamespace) -> Int {
    cursors.withLock { cursors in
      let key = Key(node: node, namespace: namespace)
      var cursor = cursors[key] ?? Cursor()
      defer { cursors[key] = cursor }
      let count = 1 << min(cursor.steps, 16)
      cursor.steps += 1
      cursor.part = SwarmPoll.smallPart
      return count
    }
  }
}
