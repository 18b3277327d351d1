import SessionCore
import SessionNetworking
import SessionStorage
import TestCommunity
import Testing

@testable import SessionMessaging

// Messages between two people of a community.

extension CommunityWorld {
  /// A device in the lobby, and the id of its account there.
  func guest(
    of account: Account? = nil, name: String? = nil
  ) async throws -> (device: Messenger, id: SessionID) {
    let account = try account ?? .generate()
    let device = try await device(of: account)
    if let name { try await device.setName(name) }
    _ = try await device.joinRoom(link)
    #expect(await poll(device))
    return (device, try BlindedIdentity(of: account, on: server.key, scheme: .blinded15).id)
  }

  /// Two devices in the lobby that have seen each other there.
  func guests() async throws -> (alice: Messenger, bob: Messenger, bobsID: SessionID) {
    let (alice, _) = try await guest(name: "Alice")
    let (bob, id) = try await guest(name: "Bob")
    try await post("I am Bob", from: bob)
    #expect(await poll(alice))
    return (alice, bob, id)
  }

  /// Posts a text in the lobby.
  func post(_ text: String, from messenger: Messenger) async throws {
    world.clock.advance(by: 4000)
    try await messenger.waitUntilStored(try await messenger.send(text, to: conversation))
  }

  /// Sends a text to a person of the community.
  @discardableResult
  func write(_ text: String, to id: SessionID, from messenger: Messenger) async throws -> MessageView.ID {
    let message = try await messenger.send(text, to: id)
    try await messenger.waitUntilStored(message)
    return message
  }

  /// What a server has of a device.
  func record(_ messenger: Messenger) async throws -> CommunityServerRecord {
    try #require(
      try await messenger.context.database.read { try $0.communityServer(CommunityWorld.url) })
  }

  func badLetters(_ messenger: Messenger, in box: LetterBox = .inbox) async throws -> [BadItemRecord] {
    try await messenger.context.database.read {
      try $0.badItems(in: box.place, of: CommunityWorld.url)
    }
  }
}

extension CommunityWorld.Visitor {
  /// The bytes of a letter.
  func seal(_ text: String, for recipient: SessionID, on world: CommunityWorld) throws -> [UInt8] {
    try seal(.visible(VisibleMessage(body: text)), for: recipient, on: world)
  }

  func seal(_ content: MessageContent, for recipient: SessionID, on world: CommunityWorld) throws -> [UInt8] {
    let now = try MessageTime(milliseconds: UInt64(world.world.clock.now))
    return try account.encode(
      Message(content, sentAt: now), for: .inbox(recipient, server: world.server.key))
  }

  @discardableResult
  func write(_ text: String, to recipient: SessionID, on world: CommunityWorld) async throws -> Int64 {
    try await call(.send(try seal(text, for: recipient, on: world), to: recipient)).number
  }
}

extension Messenger {
  /// Sends one request to the server, outside of all polls.
  func fetch<Answer>(_ call: CommunityCall<Answer>, from world: CommunityWorld) async throws -> Answer {
    let connection = CommunityConnection(
      server: try CommunityServer(CommunityWorld.url, key: world.server.key), context: context,
      client: try #require(world.environment.communities))
    return try await connection.perform(call)
  }
}
