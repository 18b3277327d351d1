import SessionCore
import SessionStorage

/// The source of messages. It decides which messages are admitted.
enum MessageSource: Hashable, Sendable {
  /// Our own swarm.
  case account
  /// The swarm of a group.
  case group(SessionID)
  case room(Community.Place)
  /// Our inbox and outbox on a community server, by its URL.
  case inbox(server: String)
}

/// The ids under which we, and people whom we blocked, write at a source.
struct SourcePeople: Sendable {
  var own: Set<SessionID>
  /// Blocked people whose id there is not that of their account.
  var blocked: Set<SessionID> = []
  /// The key of the community server; nil elsewhere.
  var server: [UInt8]?

  /// True if two ids are of one person. On a community server everybody has several.
  func areSame(_ one: SessionID, _ other: SessionID) -> Bool {
    if one == other || (own.contains(one) && own.contains(other)) { return true }
    guard let server, one.kind != other.kind, let person = try? CommunityPerson(of: one, on: server) else {
      return false
    }
    return (try? CommunityPerson(of: other, on: server)) == person
  }
}

extension SourcePeople {
  /// Our ids on a community server, and those of the blocked people.
  init(onServer key: [UInt8], for account: Account, blocked: [SessionID]) throws {
    let own = try BlindedIdentity.Scheme.allCases.map { scheme in
      try BlindedIdentity(of: account, on: key, scheme: scheme).id
    }
    self.init(own: Set([account.id] + own), blocked: Self.ids(of: blocked, onServer: key))
  }

  /// The ids of people on a community server. One who has none, because their account id is no key, cannot write there.
  static func ids(of people: [SessionID], onServer key: [UInt8]) -> Set<SessionID> {
    Set(people.flatMap { (try? $0.blinded(on: key)) ?? [] })
  }
}

extension MessageSource {
  /// False where messages have no files, whatever they say: there is no place that both sides share.
  var hasFiles: Bool {
    if case .inbox = self { false } else { true }
  }
}

extension Reading where Self: ~Copyable {
  /// The people whom we blocked.
  func blockedPeople() throws -> [SessionID] {
    try blockedContacts().compactMap { contact in try? SessionID(parsing: contact.id) }
      .filter { $0.kind == .standard }
  }
}

extension InteractionRecord {
  /// Sets the name of the message at its source. An inbox numbers messages of several conversations.
  mutating func take(_ name: Arrival.Name) {
    switch name {
    case .hash(let hash): serverHash = hash
    case .number(let number): serverID = number
    case .letter: break
    }
  }
}
