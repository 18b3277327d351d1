import SessionCore
import SessionNetworking
import Synchronization

/// How far each node's mailboxes were read in this process: what the last poll went on behind, and how much the next
/// one asks for.
///
/// A node that does not have the message which a poll goes on behind answers with its whole mailbox. So polls ask for
/// little, and for twice as much each time as long as everything that comes is new. When an answer begins before the
/// message it should come behind, the next poll goes on behind an older one: 1, 2, 4, 8 … messages back.
final class MailboxCursors: Sendable {
  struct Cursor: Hashable {
    /// What the last poll went on behind; nil for the beginning.
    var asked: String?
    /// The last message of the last answer: the node has it.
    var given: String?
    /// How many answers in a row began before what they should come behind.
    var steps = 0
    var part = SwarmPoll.smallPart

    /// True if the node gave, a moment ago, what it was asked to go on behind.
    var isFresh: Bool { asked != nil && asked == given }
  }

  private struct Key: Hashable {
    let node: String
    let namespace: StorageNamespace
  }

  /// Nodes come and go; beyond so many mailboxes all begin anew.
  private static let mostCursors = 1024
  private let cursors = Mutex<[Key: Cursor]>([:])

  /// Notes what a poll goes on behind. Returns which part of the largest answer it asks for: the largest one where the
  /// node is read for the first time, as all of that is expected to be new.
  func begin(at node: String, _ namespace: StorageNamespace, after hash: String?) -> Int {
    cursors.withLock { cursors in
      let key = Key(node: node, namespace: namespace)
      if cursors.count > Self.mostCursors { cursors = [:] }
      let isFirst = hash == nil && cursors[key] == nil
      cursors[key, default: Cursor(part: isFirst ? 0 : SwarmPoll.smallPart)].asked = hash
      return cursors[key]?.part ?? SwarmPoll.smallPart
    }
  }

  func cursor(at node: String, _ namespace: StorageNamespace) -> Cursor {
    cursors.withLock { $0[Key(node: node, namespace: namespace)] ?? Cursor() }
  }

  /// Notes that a node gave what it was asked for. `isNewHere` is true if it had given none of it before, and `isNew`
  /// if no other node had given some of it either.
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

  /// Notes that a node does not have what it was asked to go on behind. Returns how many messages to go back.
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
