import SessionCore
import SessionNodeCore
import SessionService
import SessionStorage
import Synchronization

/// What the routes of a server know apart from the rows.
struct CommunityRules: Sendable {
  let options: CommunityServer.Options
  /// The X25519 key of the server.
  let key: [UInt8]
  let place: CommunityPlace
  let persons: PersonKeys
  let visits = RoomVisits()
  let shownIDs = ShownIDs()
  let recipients: NewRecipients
  let paces: CommunityPaces
  let shelves: CommunityShelves
  let answers: AnswerMemory
  /// Those who wait for news of rooms.
  let waits: RoomWaits
  let filter: MessageFilter
  /// The operator's own filter, if there is one.
  let program: FilterProgram?
  /// Those who write replies to what filters catch.
  let filterAuthors: FilterAuthors
  /// The answer to those who ask what the server can do.
  let capabilities: CommunityAnswer

  init(_ options: CommunityServer.Options, keys: ExchangeKeys, shelves: CommunityShelves) {
    (self.options, self.shelves) = (options, shelves)
    key = keys.publicKey
    filterAuthors = FilterAuthors(keys, name: options.filter.replyName)
    place = CommunityPlace(options.url ?? "")
    persons = PersonKeys(server: keys.publicKey)
    recipients = NewRecipients(limit: options.letters.newRecipientsPerDay)
    paces = CommunityPaces(options)
    answers = AnswerMemory(of: options.memory)
    waits = RoomWaits(connections: options.maxConnections)
    filter = MessageFilter(options.filter)
    capabilities = .json(CommunityJSON(capabilities: options.capabilities).value)
    program = options.filter.program.map { path in
      FilterProgram(
        path: path, time: options.filter.programTime,
        failure: options.filter.refusesWithoutProgram ? .refuse(.hook) : .accept
      ) { options.log(.warning, "the filter program does not answer", ["program": path, "reason": $0]) }
    }
  }

  /// The link by which clients join a room.
  func link(to token: String) -> String { "\(place.url)/\(token)?public_key=\(key.hex)" }
}

/// The URL of a server for clients, which may be known only when it listens.
final class CommunityPlace: Sendable {
  private let state: Mutex<String>

  init(_ url: String) { state = Mutex(url) }

  var url: String { state.withLock { $0 } }

  func move(to url: String) { state.withLock { $0 = url } }
}

extension CommunityVisit {
  /// The room of the path and the caller's rights in it. Throws 404 for a room that does not exist for the caller, 401
  /// and 403 for a missing permission.
  func room<Transaction: Reading & ~Copyable>(
    in transaction: borrowing Transaction, _ caller: CommunityCaller?, needs: RoomNeed
  ) throws -> (RoomRow, RoomRights) {
    guard let room = try transaction.room(self["room"]) else { throw CommunityRefusal.noRoom }
    let rights = try transaction.rights(of: caller, in: room, rules, now: now)
    guard rights.seesRoom || (rights.isBanned && room.isVisibleToAll && needs != .visible) else {
      throw CommunityRefusal.noRoom
    }
    guard needs.isMet(by: rights) else {
      throw caller == nil && needs != .read ? CommunityRefusal.unsigned : .forbidden("Permission denied")
    }
    guard !needs.isOfPersons || caller != nil else { throw CommunityRefusal.unsigned }
    return (room, rights)
  }
}

/// What a caller needs in a room for a request.
enum RoomNeed {
  /// To see that it is there.
  case visible
  case read
  /// To read, as a person.
  case signedRead
  case write
  case upload
  /// To be nothing worse than a person who is not banned.
  case member
  case moderator
  case admin

  var isOfPersons: Bool { ![.visible, .read].contains(self) }

  func isMet(by rights: RoomRights) -> Bool {
    switch self {
    case .visible: true
    case .read, .signedRead: rights.has(.read)
    case .write: rights.has(.write)
    case .upload: rights.has(.upload)
    case .member: !rights.isBanned
    case .moderator: rights.isModerator
    case .admin: rights.isAdmin
    }
  }
}

extension RoomRow {
  /// True if everybody sees that the room is there.
  var isVisibleToAll: Bool { defaults.contains(.read) || defaults.contains(.accessible) }
}

extension Reading where Self: ~Copyable {
  /// What a caller may do in a room.
  func rights(
    of caller: CommunityCaller?, in room: RoomRow, _ rules: CommunityRules, now: Int64
  ) throws(StorageError) -> RoomRights {
    guard let caller else { return RoomRights(of: nil, in: room, nil, now: now) }
    let person = caller.person.id
    let override = try override(of: person, in: room.id)
    var first: Int64?
    if room.newcomerWrite > 0 || room.newcomerUpload > 0 {
      first =
        try value("SELECT first FROM visit WHERE room = ?1 AND person = ?2", room.id, person)
        ?? rules.visits.first(of: person, in: room.id)
    }
    return RoomRights(of: caller, in: room, override, firstVisit: first, now: now)
  }
}
