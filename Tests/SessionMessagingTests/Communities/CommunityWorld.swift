import Foundation
import SessionCore
import SessionNetworking
import SessionStorage
import TestCommunity
import Testing

@testable import SessionMessaging

/// A world with a community server that has a lobby, and visitors who write there.
final class CommunityWorld: Sendable {
  let world = World()
  let server: TestCommunity
  let link: CommunityLink
  let room: Community.Place
  private let communities = TestCommunities()

  static let url = "https://chat.example.org"

  init() throws {
    server = try TestCommunity { [clock = world.clock] in clock.now }
    server.change { $0.addRoom("lobby", name: "Lobby") }
    try communities.add(server, at: Self.url)
    link = try CommunityLink(parsing: "\(Self.url)/lobby?public_key=\(server.key.hex)")
    room = try Community.Place(server: Self.url, room: "lobby")
  }

  var conversation: Conversation.ID { .room(room) }

  /// What brings requests to the servers.
  var service: any ServerService { communities }

  var environment: MessengerEnvironment {
    var environment = world.environment
    environment.communities = CommunityClient(through: communities)
    environment.makeServerFeed = nil
    return environment
  }

  /// A device that runs.
  func device(of account: Account) async throws -> Messenger {
    try await world.start(
      Messenger(
        account, .inMemory(schema: .account), environment, folder: "\(world.folder)/\(UUID().uuidString)"))
  }

  /// A visitor of the server, under their id there.
  func visitor() throws -> Visitor { try Visitor(self) }

  /// The id of an account on the server.
  func id(of messenger: Messenger) throws -> SessionID {
    try BlindedIdentity(of: messenger.context.account, on: server.key, scheme: .blinded15).id
  }

  /// Makes somebody a moderator of the lobby, or an admin, and tells their device.
  func appoint(_ messenger: Messenger, asAdmin: Bool = false) async throws {
    let id = try id(of: messenger).description
    server.change { state in
      if asAdmin { _ = state.rooms["lobby"]?.admins.insert(id) }
      _ = state.rooms["lobby"]?.moderators.insert(id)
    }
    _ = await poll(messenger)
  }

  /// Posts many texts in a short time, as an admin may. More time would end polls that go on meanwhile.
  func post(_ texts: some Sequence<String>, by visitor: Visitor) async throws {
    server.change { [id = visitor.identity.author.description] in _ = $0.rooms["lobby"]?.admins.insert(id) }
    for text in texts { try await visitor.post(text, after: 10) }
  }

  /// Polls the server until a device has everything.
  func poll(_ messenger: Messenger) async -> Bool {
    await messenger.supervisor.pollNow(.server(Self.url))
  }

  /// The messages of the lobby that could not be read.
  func badPosts(_ messenger: Messenger) async throws -> [BadItemRecord] {
    try await messenger.context.database.read { transaction in
      try transaction.badItems(in: "lobby", of: Self.url)
    }
  }

  func texts(_ messenger: Messenger) async throws -> [String] {
    try await messenger.messages(in: conversation, limit: 500).reversed().filter { $0.kind == .message }
      .map(\.body)
  }

  struct Visitor {
    let account: Account
    let identity: CommunityIdentity
    private let client: CommunityClient
    private let server: CommunityServer
    private let room: Community.Place
    private let clock: VirtualClock

    fileprivate init(_ world: CommunityWorld) throws {
      account = try .generate()
      identity = try CommunityIdentity(of: account, on: world.server.key, scheme: .blinded15)
      client = CommunityClient(through: world.communities)
      server = try CommunityServer(CommunityWorld.url, key: world.server.key)
      (room, clock) = (world.room, world.world.clock)
    }

    private var time: MessageTime {
      get throws { try MessageTime(milliseconds: UInt64(clock.now)) }
    }

    func call<Answer>(_ call: CommunityCall<Answer>) async throws -> Answer {
      try call.answer(from: try await client.send(call.request, to: server, as: identity, at: time))
    }

    func encode(_ text: String, quote: Quote? = nil) throws -> [UInt8] {
      try account.encode(
        Message(.visible(VisibleMessage(body: text, quote: quote)), sentAt: time), for: .community)
    }

    func edit(_ number: Int64, _ text: String, quote: Quote? = nil) async throws {
      clock.advance(by: 1000)
      let data = try encode(text, quote: quote)
      try await call(.edit(number, data, signature: identity.sign(post: data), in: room))
    }

    /// Posts a text; with a false signature if so wished.
    @discardableResult
    func post(
      _ text: String, quote: Quote? = nil, isForged: Bool = false, after delay: Int64 = 4000
    ) async throws -> Int64 {
      // The server takes few posts at a time.
      clock.advance(by: delay)
      let data = try encode(text, quote: quote)
      var signature = try identity.sign(post: data)
      if isForged { signature[0] ^= 1 }
      return try await call(.post(data, signature: signature, in: room)).number
    }
  }
}

/// Runs a test, and stops all devices.
func withCommunity(_ body: (CommunityWorld) async throws -> Void) async throws {
  let world = try CommunityWorld()
  do { try await body(world) } catch {
    await world.world.stop()
    throw error
  }
  await world.world.stop()
}
