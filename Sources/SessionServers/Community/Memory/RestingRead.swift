import SessionBase
import SessionHTTP
import SessionStorage

/// A request to which the answer follows from what is remembered, as long as nothing has happened since the last one.
enum RestingRead: Hashable, Sendable {
  /// What the server can do.
  case capabilities
  /// The changes of a room after one.
  case changes(room: String, since: Int64)
  /// The state of a room for somebody who knows a description.
  case poll(room: String, knowing: Int64)
  /// Letters that were received after one, or all of them for nil.
  case inbox(since: Int64?)
  /// Letters that were sent after one, or all of them for nil.
  case outbox(since: Int64?)

  /// The folded token of the room that it is about.
  var room: String? {
    switch self {
    case .changes(let room, _), .poll(let room, _): RoomRow.folded(room)
    case .capabilities, .inbox, .outbox: nil
    }
  }
}

// What the requests of routes ask for. Their handlers have looked at the rest of them.
extension RestingRead {
  @Sendable static func capabilities(of visit: CommunityVisit) -> RestingRead? {
    visit.target[query: "required"] == nil ? .capabilities : nil
  }

  @Sendable static func changes(of visit: CommunityVisit) throws -> RestingRead? {
    .changes(room: visit["room"], since: try visit.number("number"))
  }

  @Sendable static func poll(of visit: CommunityVisit) throws -> RestingRead? {
    .poll(room: visit["room"], knowing: try visit.number("info"))
  }

  @Sendable static func inbox(of visit: CommunityVisit) throws -> RestingRead? {
    .inbox(since: try visit.number("number"))
  }

  @Sendable static func outbox(of visit: CommunityVisit) throws -> RestingRead? {
    .outbox(since: try visit.number("number"))
  }
}

/// What is remembered of a room for a caller.
struct RememberedRoom: Hashable, Sendable {
  let row: RoomRow
  let rights: RoomRights
}

extension RestingRead {
  /// The answer for somebody who may read; nil if there is something that is not remembered.
  func answer(in room: RememberedRoom, _ rules: CommunityRules) -> CommunityAnswer? {
    switch self {
    case .changes(_, let number): number == room.row.sequence ? Self.emptyPage : nil
    case .poll(_, let info):
      info == room.row.info ? .json(RoomWriter(rules: rules).poll(room.row, room.rights)) : nil
    case .capabilities, .inbox, .outbox: nil
    }
  }

  /// The answer of a request that needs no room, while there is nothing new.
  func answer(_ rules: CommunityRules) -> CommunityAnswer {
    switch self {
    case .capabilities: rules.capabilities
    case .inbox(nil), .outbox(nil), .changes, .poll: Self.emptyPage
    case .inbox, .outbox: Self.noLetters
    }
  }

  private static let emptyPage = CommunityAnswer(200, .json("[]"))
  private static let noLetters = CommunityAnswer(304)
}
