public import SessionCore
import SessionNetworking
import SessionStorage

/// A room with those who moderate it, and what they pinned.
public struct RoomDetails: Hashable, Sendable {
  public struct Moderator: Hashable, Sendable {
    public let id: SessionID
    public let isAdmin: Bool
    /// True if only other moderators see it.
    public let isHidden: Bool
  }

  public struct Pin: Hashable, Sendable {
    /// What a message says that is not among those of the room here.
    public struct Copy: Hashable, Sendable {
      public let author: SessionID
      /// Milliseconds since 1970.
      public let postedAt: Int64
      public let body: String
    }

    /// The message; nil if it is not here.
    public let message: MessageView?
    /// Nil if the message is here, or could not be fetched.
    public let copy: Copy?
    /// Milliseconds since 1970.
    public let pinnedAt: Int64
    public let pinnedBy: SessionID?
  }

  public let room: RoomView
  /// The link that others join it with.
  public let link: String
  public let moderators: [Moderator]
  public let pins: [Pin]
  /// True if its oldest message is here, and none is missing after it.
  public let isComplete: Bool
  public let hasPicture: Bool
}

/// What a fetch of older messages of a room brought.
public struct RoomHistory: Hashable, Sendable, Codable {
  /// The messages that were not here.
  public let count: Int
  /// True if there is nothing more to fetch.
  public let isComplete: Bool
}

/// A room that a server offers.
public struct RoomListing: Hashable, Sendable, Codable {
  /// The link to join it with.
  public let link: String
  public let name: String
  public let description: String?
  public let userCount: Int64
}

extension RoomDetails.Pin.Copy {
  fileprivate init?(_ copy: RoomPinRecord.Copy) {
    guard let author = SessionID(copy.author) else { return nil }
    (self.author, postedAt, body) = (author, copy.postedAt, copy.body)
  }
}

extension RoomListing {
  init(_ room: OfferedRoom) {
    self.init(
      link: room.link.description, name: room.name, description: room.description, userCount: room.userCount)
  }
}

extension ConversationList {
  /// Returns a room with its details; nil if we are not in it.
  func roomDetails(_ id: Conversation.ID) async throws -> RoomDetails? {
    let now = try context.time()
    guard let room = try await rooms().first(where: { $0.id == id }) else { return nil }
    let blocked = try await database.read { transaction in try transaction.blockedPeople() }
    return try await database.read { transaction in
      guard let thread = try transaction.thread(at: id.address),
        let record = try transaction.community(thread.id),
        let server = try transaction.communityServer(record.server)
      else { return nil }
      let hidden = SourcePeople.ids(of: blocked, onServer: server.publicKey)
      let pins = try transaction.pins(of: thread.id).compactMap { pin -> RoomDetails.Pin? in
        let row = try transaction.interaction(in: thread.id, serverID: pin.serverID)
        // What people wrote who were blocked later is not shown while they are.
        if let author = (row?.author ?? pin.copy?.author).flatMap({ SessionID($0) }), hidden.contains(author)
        {
          return nil
        }
        let message = try transaction.views(of: [row].compactMap(\.self), at: now).first
        return RoomDetails.Pin(
          message: message, copy: message == nil ? pin.copy.flatMap { RoomDetails.Pin.Copy($0) } : nil,
          pinnedAt: pin.pinnedAt, pinnedBy: pin.pinnedBy.flatMap { SessionID($0) })
      }
      return RoomDetails(
        room: room, link: "\(record.server)/\(record.room)?public_key=\(server.publicKey.hex)",
        moderators: try transaction.roomModerators(of: thread.id), pins: pins,
        isComplete: try record.isComplete && transaction.gaps(in: thread.id).isEmpty,
        hasPicture: record.imageFileID != nil)
    }
  }
}
