import SessionBase
import SessionHTTP
import SessionStorage

/// How a client wants a page of messages.
struct PageForm: Hashable, Sendable {
  let limit, reactors: Int
  var withReactions = false
}

/// A request to which the answer follows from what is remembered, as long as nothing has happened since the last one.
/// Rooms are named by their folded tokens.
enum RestingRead: Hashable, Sendable {
  /// What the server can do.
  case capabilities
  /// The description of a room.
  case room(String)
  /// The changes of a room after one.
  case changes(room: String, since: Int64, PageForm)
  /// The newest messages of a room.
  case recent(room: String, PageForm)
  /// The state of a room for somebody who knows a description.
  case poll(room: String, knowing: Int64)
  /// The page of a room for browsers, or its newest messages alone.
  case page(room: String, isWhole: Bool)
  /// Letters that were received after one, or all of them for nil.
  case inbox(since: Int64?)
  /// Letters that were sent after one, or all of them for nil.
  case outbox(since: Int64?)

  /// The room that it is about.
  var room: String? {
    switch self {
    case .room(let room), .changes(let room, _, _), .recent(let room, _), .poll(let room, _),
      .page(let room, _):
      room
    case .capabilities, .inbox, .outbox: nil
    }
  }

  /// True if the answer is a page that many readers get alike.
  var isPage: Bool {
    switch self {
    case .changes, .recent, .page: true
    case .capabilities, .room, .poll, .inbox, .outbox: false
    }
  }

  /// True if those who ask count as active in the room.
  var isVisit: Bool {
    switch self {
    case .changes, .recent, .poll: true
    case .capabilities, .room, .page, .inbox, .outbox: false
    }
  }
}

// What the requests of routes ask for. Their handlers have looked at the rest of them.
extension RestingRead {
  @Sendable static func capabilities(of visit: CommunityVisit) -> RestingRead? {
    visit.target[query: "required"] == nil ? .capabilities : nil
  }

  @Sendable static func room(of visit: CommunityVisit) -> RestingRead? { .room(visit.foldedRoom) }

  @Sendable static func changes(of visit: CommunityVisit) throws -> RestingRead? {
    .changes(room: visit.foldedRoom, since: try visit.number("number"), try visit.pageForm())
  }

  @Sendable static func recent(of visit: CommunityVisit) throws -> RestingRead? {
    .recent(room: visit.foldedRoom, try visit.pageForm())
  }

  @Sendable static func poll(of visit: CommunityVisit) throws -> RestingRead? {
    .poll(room: visit.foldedRoom, knowing: try visit.number("info"))
  }

  @Sendable static func inbox(of visit: CommunityVisit) throws -> RestingRead? {
    .inbox(since: try visit.number("number"))
  }

  @Sendable static func outbox(of visit: CommunityVisit) throws -> RestingRead? {
    .outbox(since: try visit.number("number"))
  }
}

extension CommunityVisit {
  fileprivate var foldedRoom: String { RoomRow.folded(self["room"]) }
}

/// A request that was answered from the rows.
struct Answered: Sendable {
  let read: RestingRead
  /// The answer, if others get the same one; only such an answer is remembered.
  let shared: CommunityAnswer?

  init(_ read: RestingRead, _ answer: CommunityAnswer) {
    self.read = read
    shared = answer.audience == nil ? nil : answer
  }
}

/// What is remembered of a room for a caller.
struct RememberedRoom: Sendable {
  let row: RoomRow
  let rights: RoomRights
  /// The description, as moderators or others see it.
  var details: RoomDetails?
  /// The page that was asked for.
  var page: CommunityAnswer?
}

extension RestingRead {
  /// The answer for somebody who may read; nil if there is something that is not remembered.
  func answer(in room: RememberedRoom, _ rules: CommunityRules) -> CommunityAnswer? {
    let writer = RoomWriter(rules: rules)
    switch self {
    case .changes(_, let number, _): return number == room.row.sequence ? Self.emptyPage : room.page
    case .recent, .page: return room.page
    case .room: return room.details.map { .json(writer.object($0, room.rights, of: room.row)) }
    case .poll(_, let info):
      guard info != room.row.info else { return .json(writer.poll(room.row, room.rights)) }
      return room.details.map {
        .json(writer.poll(room.row, room.rights, details: writer.object($0, room.rights, of: room.row)))
      }
    case .capabilities, .inbox, .outbox: return nil
    }
  }

  /// The answer of a request that needs no room, while there is nothing new; nil for one that does.
  func answer(_ rules: CommunityRules) -> CommunityAnswer? {
    switch self {
    case .capabilities: rules.capabilities
    case .inbox(nil), .outbox(nil): Self.emptyPage
    case .inbox, .outbox: Self.noLetters
    case .room, .changes, .recent, .poll, .page: nil
    }
  }

  private static let emptyPage = CommunityAnswer(200, .json("[]"))
  private static let noLetters = CommunityAnswer(304)
}
