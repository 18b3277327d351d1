import SeededNumbers
import SessionCore
import SessionStorage
import Synchronization
import Testing

@testable import SessionMessaging

/// The community rooms of a history: two of one server and one of another, where visitors write.
final class HistoryRooms {
  private let servers: MemoryServers
  private let places: [Community.Place]
  private let visitors: [Visitor]
  private(set) var count = 0
  /// The texts of each room on a device that has read everything.
  private var texts: [Community.Place: [String]] = [:]

  private struct Visitor {
    let account: Account
    /// The id on both servers, which have one key.
    let id: SessionID
  }

  var lobby: Community.Place { places[0] }

  /// The key of the servers.
  static let key = [UInt8](repeating: 7, count: 32)

  init(_ servers: MemoryServers) throws {
    self.servers = servers
    places = try [("one", "lobby"), ("one", "garden"), ("two", "lobby")].map { server, room in
      try Community.Place(server: "https://\(server).example", room: room)
    }
    visitors = try [BlindedIdentity.Scheme.blinded15, .blinded15, .blinded25].map { scheme in
      let account = try Account.generate()
      return Visitor(account: account, id: try BlindedIdentity(of: account, on: Self.key, scheme: scheme).id)
    }
  }

  /// Adds the rooms to the database of a device, unless it has them.
  func join(_ database: Database) throws {
    try database.write { transaction in
      for place in places {
        guard try transaction.thread(at: Conversation.ID.room(place).address) == nil else { continue }
        if try transaction.communityServer(place.server) == nil {
          try transaction.put(
            CommunityServerRecord(place.server, publicKey: Self.key))
        }
        let thread = try transaction.obtainThread(
          at: Conversation.ID.room(place).address, .community, createdAt: 1)
        try transaction.put(
          CommunityRecord(thread.id, server: place.server, room: place.room, name: place.room))
      }
    }
  }

  /// Visitors write some messages, several of them in the same millisecond, and some that no room admits.
  func post(at clock: VirtualClock, using random: inout SeededGenerator) throws {
    for _ in 0..<Int.random(in: 1...9, using: &random) {
      clock.advance(by: Int64.random(in: 0...1, using: &random))
      let number = Int.random(in: visitors.indices, using: &random)
      let (visitor, place) = (visitors[number], places[Int.random(in: places.indices, using: &random)])
      let now = try MessageTime(milliseconds: UInt64(clock.now))
      switch Int.random(in: 0..<8, using: &random) {
      case 0: try servers.post([1, 2, 3], by: visitor.id, in: place)
      case 1:
        let typing = try Message(.typing(TypingIndicator(.started, sentAt: now)), sentAt: now)
        let data = try? visitor.account.encode(typing, for: .community)
        try servers.post(data ?? [], by: visitor.id, in: place)
      default:
        let text = "\(number):\(count)"
        let message = try Message(.visible(VisibleMessage(body: text)), sentAt: now)
        try servers.post(visitor.account.encode(message, for: .community), by: visitor.id, in: place)
        texts[place, default: []].append(text)
        count += 1
      }
    }
  }

  /// Changes the behaviour of the servers.
  func faults(using random: inout SeededGenerator) {
    let (seed, percent) = (random.next(), Int.random(in: 0..<60, using: &random))
    let generator = Mutex(SeededGenerator(seed: seed))
    let dead = Int.random(in: 0..<3, using: &random) == 0 ? places.randomElement(using: &random)?.server : nil
    servers.decide { server in
      if server == dead { return .refused(500) }
      return switch generator.withLock({ Int.random(in: 0..<100, using: &$0) }) {
      case 0..<percent / 3: .refused(429)
      case percent / 3..<percent * 2 / 3: .refused(500)
      case percent * 2 / 3..<percent: .lost
      default: .done
      }
    }
    let failing = places.filter { _ in Int.random(in: 0..<4, using: &random) == 0 }
    servers.failRooms(Set(failing))
  }

  /// Makes one server fail, and a room of the other one.
  func breakSome() {
    servers.decide { [places] server in server == places[2].server ? .refused(500) : .done }
    servers.failRooms([places[1]])
  }

  func heal() {
    servers.decide { _ in .done }
    servers.failRooms([])
  }

  /// True if a device has all messages of the rooms that work.
  func isComplete(_ messenger: Messenger, isBroken: Bool = false) async throws -> Bool {
    for place in isBroken ? Array(places.prefix(1)) : places {
      let count = try await rows(of: place, in: messenger.context.database).rows.count
      guard count >= texts[place, default: []].count else { return false }
    }
    return true
  }

  /// The cursor of a room, and its messages in the order in which they were stored.
  private func rows(
    of place: Community.Place, in database: Database
  ) async throws -> (cursor: Int64, rows: [InteractionRecord]) {
    try await database.read { transaction in
      let thread = try #require(try transaction.thread(at: Conversation.ID.room(place).address))
      let cursor = try #require(try transaction.community(thread.id)).sequenceNumber
      return (cursor, try transaction.page(of: thread.id, limit: 10_000).sorted { $0.id < $1.id })
    }
  }

  /// No cursor is ahead of the stored messages, and none is stored behind it.
  func checkCursors(of database: Database, at device: Int) async throws {
    for place in places {
      let (cursor, rows) = try await rows(of: place, in: database)
      let expected = servers.posts(in: place).filter { $0.number <= cursor && isAdmitted($0) }.map(\.number)
      #expect(rows.compactMap(\.serverID) == expected, "\(place.room) at device \(device), cursor \(cursor)")
    }
  }

  private func isAdmitted(_ post: ServerPost) -> Bool {
    let origin = MessageOrigin.community(sender: post.author, postedAt: post.postedAt)
    guard case .visible? = try? visitors[0].account.decode(post.data, from: origin).message.content else {
      return false
    }
    return true
  }

  /// No message is lost or duplicated, the messages of each visitor are in order, and each has one event.
  func check(_ messenger: Messenger, at device: Int) async throws {
    let events = try await messenger.context.database.read { [now = try messenger.context.time()] in
      try $0.events(behind: .start, limit: 100_000, at: now)
    }
    for place in places {
      let room = Conversation.ID.room(place)
      let shown = try await messenger.messages(in: room, limit: 500).reversed().map(\.body)
      let expected = texts[place, default: []]
      #expect(shown.sorted() == expected.sorted(), "\(place) at device \(device)")
      for visitor in visitors.indices {
        let prefix = "\(visitor):"
        #expect(
          shown.filter { $0.hasPrefix(prefix) } == expected.filter { $0.hasPrefix(prefix) },
          "\(place) at device \(device)")
      }
      let rows = try await rows(of: place, in: messenger.context.database).rows
      let told = events.filter { $0.kind == .messageReceived && $0.conversation == room }
      #expect(told.map { $0.message?.rawValue } == rows.map(\.id.rawValue), "\(place) at device \(device)")
    }
    try await checkCursors(of: messenger.context.database, at: device)
  }
}
