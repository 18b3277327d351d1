import SessionCore
public import SessionNetworking
import SessionStorage

/// A room of a community.
public struct RoomView: Hashable, Sendable, Identifiable {
  public enum State: String, Hashable, Sendable, CaseIterable {
    /// Its server has not let us in yet.
    case joining
    case joined
    /// We may not read it.
    case noAccess
    /// Its server does not have it any more, or hides it from us.
    case gone
  }

  public let id: Conversation.ID
  public let state: State
  public let name: String
  public let description: String?
  /// The people who used it in the last days.
  public let userCount: Int64
  public let permissions: CommunityPermissions

  /// The URL of its server.
  public var server: String {
    guard case .room(let place) = id else { return "" }
    return place.server
  }
}

extension ConversationList {
  func rooms() async throws -> [RoomView] {
    try await database.read { transaction in
      try transaction.threads(areVisible: true).compactMap { thread in
        guard let id = Conversation.ID(thread.address), let record = try transaction.community(thread.id)
        else { return nil }
        return RoomView(
          id: id, state: RoomView.State(record.state), name: record.name, description: record.description,
          userCount: record.userCount, permissions: CommunityPermissions(rawValue: record.permissions))
      }
    }
  }
}

extension RoomView.State {
  fileprivate init(_ state: CommunityRecord.State) {
    self =
      switch state {
      case .joining: .joining
      case .joined: .joined
      case .noAccess: .noAccess
      case .gone: .gone
      }
  }
}
