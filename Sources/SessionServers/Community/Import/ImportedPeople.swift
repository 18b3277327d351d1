import SessionCore
import SessionStorage

/// The people of an old server, which had a row for each of their ids.
struct ImportedPeople {
  /// A row of the old server.
  struct User {
    let number: Int64
    let id: String
    let created, active: Int64
    let isBanned: Bool
    let role: CommunityRank
    let isVisible: Bool
    /// True if they have written or read under this id.
    let hasCome: Bool
  }

  /// The key of the one row for all ids that are none.
  static let unknownKey = [UInt8](repeating: 0, count: 32)

  private var groups: [[UInt8]: [User]] = [:]
  /// In the order of their first rows.
  private(set) var keys: [[UInt8]] = []
  private let server: [UInt8]

  init(server: [UInt8]) { self.server = server }

  mutating func add(_ user: User) {
    let key = key(of: user.id)
    if groups[key] == nil { keys.append(key) }
    groups[key, default: []].append(user)
  }

  private func key(of text: String) -> [UInt8] {
    guard let id = SessionID(text), let person = try? CommunityPerson(of: id, on: server) else {
      return Self.unknownKey
    }
    return person.key
  }

  func users(of key: [UInt8]) -> [User] { groups[key] ?? [] }

  /// A person, from all of their rows.
  struct Person {
    let shown, named: String?
    let created, active: Int64
    let isBanned: Bool
    let role: CommunityRank
    let isVisible: Bool
  }

  func person(_ key: [UInt8]) -> Person {
    let users = users(of: key)
    let isKnown = key != Self.unknownKey
    let last = users.max { ($0.hasCome ? 1 : 0, $0.active) < ($1.hasCome ? 1 : 0, $1.active) }
    // An account id that has never signed a request was named by the operator.
    let isShown = last.map { $0.hasCome || SessionID($0.id)?.kind != .standard } ?? false
    let role = isKnown ? users.map(\.role).max() ?? .member : .member
    return Person(
      shown: isKnown && isShown ? last?.id : nil, named: isKnown && !isShown ? last?.id : nil,
      created: users.map(\.created).min() ?? 0, active: users.map(\.active).max() ?? 0,
      isBanned: isKnown && users.contains(where: \.isBanned), role: role,
      isVisible: users.contains { $0.role == role && role > .member && $0.isVisible })
  }
}
