import SessionBase
public import SessionCore
import SessionNetworking
import Synchronization

/// A room that a server offers.
public struct OfferedRoom: Hashable, Sendable, Identifiable {
  /// The conversation that it becomes.
  public let id: Conversation.ID
  /// The link to join it with.
  public let link: CommunityLink
  public let name: String
  public let description: String?
  /// The people who used it in the last days.
  public let userCount: Int64
}

/// The rooms of the server whose rooms are offered to everybody. The request for them is anonymous.
final class DefaultRooms: Sendable {
  /// How long a list is used, in milliseconds.
  private static let lifetime: Int64 = 24 * 3_600_000

  private struct List {
    let rooms: [OfferedRoom]
    let at: Int64
  }

  private let context: AccountContext
  private let list = Mutex<List?>(nil)

  init(_ context: AccountContext) { self.context = context }

  func rooms() async throws -> [OfferedRoom] {
    let now = context.jobTime
    if let list = list.withLock(\.self), (0..<Self.lifetime).contains(now - list.at) { return list.rooms }
    guard let client = context.environment.communities, let server = context.environment.defaultCommunity
    else { throw MessengerError(.noRoom, "this network offers no rooms to everybody") }
    await context.learnTime()
    do {
      let rooms = try await rooms(of: server, through: client)
      list.withLock { $0 = List(rooms: rooms, at: now) }
      return rooms
    } catch let failure as NetworkFailure {
      throw MessengerError(.serverFailed, failure.message)
    }
  }

  private func rooms(of server: CommunityServer, through client: CommunityClient) async throws
    -> [OfferedRoom]
  {
    let capabilities = CommunityCall<CommunityCapabilities>.capabilities
    let rooms = CommunityCall<[CommunityRoom]>.rooms
    let reply = try await client.send(
      batch: [capabilities.request, rooms.request], inOrder: true, to: server, as: nil, at: context.time())
    let replies = try reply.replies(toBatchOf: 2, inOrder: true)
    guard try capabilities.answer(from: replies[0]).has(CommunityCapabilities.community), replies.count == 2
    else { throw NetworkFailure(.rejected, "there is no community server at \(server.url)") }
    return try rooms.answer(from: replies[1]).compactMap { room in
      guard let link = CommunityLink("\(server.url)/\(room.token)?public_key=\(server.key.hex)"),
        let place = try? Community.Place(server: server.url, room: room.token)
      else { return nil }
      return OfferedRoom(
        id: .room(place), link: link, name: room.name, description: room.description,
        userCount: room.activeUsers)
    }
  }
}
