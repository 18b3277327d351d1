import SessionCore
import Synchronization

/// The persons behind ids, of which the latest are remembered: each takes some multiplications on the curve.
final class PersonKeys: Sendable {
  static let maxCount = 65_536

  private let server: [UInt8]
  private let known = Mutex<[SessionID: [UInt8]]>([:])

  init(server: [UInt8]) { self.server = server }

  /// The key of the person behind an id. Throws 400 for an id whose key is not a safe one.
  func key(of id: SessionID) throws(CommunityRefusal) -> [UInt8] {
    if let key = known.withLock({ $0[id] }) { return key }
    guard let person = try? CommunityPerson(of: id, on: server) else {
      throw .invalid("Invalid authentication: the id is not a valid key")
    }
    known.withLock { known in
      if known.count >= Self.maxCount { known.removeAll(keepingCapacity: true) }
      known[id] = person.key
    }
    return person.key
  }

  /// The id in a path, in either case, and the person behind it. Throws 400.
  func named(_ text: String) throws(CommunityRefusal) -> (id: SessionID, key: [UInt8]) {
    guard let id = SessionID(text), [.standard, .blinded15, .blinded25].contains(id.kind),
      let key = try? key(of: id)
    else { throw .invalid("Invalid session id") }
    return (id, key)
  }
}
