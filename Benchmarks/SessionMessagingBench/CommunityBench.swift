import Glibc
import Measuring
import SessionCore
import SessionJobs
import SessionMessaging
import SessionNetworking
import SessionStorage
import Synchronization
import TestCommunity

/// A large room: what it takes to join it, and to catch up with it. The server is in this process, and its work is not counted.
enum CommunityBench {
  /// The argument that selects the process of idle rooms; a folder follows.
  static let argument = "--idle-rooms"

  private static let count = 10_000
  private static let targetTrips = 3
  private static let targetRate = 5000.0
  private static let servers = 10
  private static let roomsOfServer = 5
  /// Long enough for what follows the start to be done.
  private static let calming: UInt32 = 20
  private static let watching: UInt32 = 60
  private static let targetShare = 0.01

  /// Counts the processor time of the servers.
  private final class Counted: ServerService {
    private let communities: TestCommunities
    private let seconds = Mutex(0.0)

    init(_ communities: TestCommunities) { self.communities = communities }

    var computed: Double { seconds.withLock(\.self) }

    func send(
      _ request: ServerRequest, to server: OnionServer, _ delivery: Network.Delivery
    ) async throws(NetworkFailure) -> ServerResponse {
      let begun = Self.ofThread
      let response = try await communities.send(request, to: server, delivery)
      seconds.withLock { $0 += max(0, Self.ofThread - begun) }
      return response
    }

    private static var ofThread: Double {
      var time = timespec()
      clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time)
      return Double(time.tv_sec) + Double(time.tv_nsec) / 1e9
    }
  }

  /// A server with rooms, and somebody who writes there. The server takes few posts at a time, so its clock begins late and runs
  /// fast.
  private final class Site: Sendable {
    let server: TestCommunity
    let url: String
    private let time: Ahead
    private let bob: Account
    private let identity: CommunityIdentity

    init(_ number: Int, _ rooms: Int, _ communities: TestCommunities) throws {
      let time = Ahead(SystemClock().now - 23 * 3_600_000)
      self.time = time
      server = try TestCommunity { time.now.withLock(\.self) }
      url = "https://server\(number).example"
      bob = try .generate()
      identity = try CommunityIdentity(of: bob, on: server.key, scheme: .blinded15)
      server.change { state in for room in 0..<rooms { state.addRoom("room\(room)") } }
      try communities.add(server, at: url)
    }

    private final class Ahead: Sendable {
      let now: Mutex<Int64>

      init(_ start: Int64) { now = Mutex(start) }
    }

    /// Has the server's clock be right from now on.
    func catchUp() { time.now.withLock { $0 = SystemClock().now } }

    func link(_ room: Int) throws -> CommunityLink {
      try CommunityLink(parsing: "\(url)/room\(room)?public_key=\(server.key.hex)")
    }

    func post(_ count: Int, through service: any ServerService) async throws {
      let place = try Community.Place(server: url, room: "room0")
      let client = CommunityClient(through: service)
      let server = try CommunityServer(url, key: server.key)
      for number in 0..<count {
        let now = time.now.withLock { now in
          now += 4000
          return now
        }
        let at = try MessageTime(milliseconds: UInt64(now))
        let text = "message \(number) of those that wait for somebody who was away for long"
        let data = try bob.encode(
          Message(.visible(VisibleMessage(body: text)), sentAt: at), for: .community)
        let call = CommunityCall<CommunityReceipt>.post(
          data, signature: try identity.sign(post: data), in: place)
        _ = try call.answer(from: try await client.send(call.request, to: server, as: identity, at: at))
      }
    }
  }

  private static func makeMessenger(in path: String, _ service: any ServerService) async throws -> Messenger {
    let folder = try AccountFolder("account", in: StorageRoots(inside: path))
    var environment = MessengerEnvironment(swarms: MemorySwarms())
    environment.communities = CommunityClient(through: service)
    let messenger = try await Messenger.create(.generate(), name: "Alice", in: folder, environment)
    try await messenger.start()
    await messenger.poll()
    return messenger
  }

  static func run(in folder: String) throws {
    let communities = TestCommunities()
    let counted = Counted(communities)
    let site = try Site(0, 1, communities)
    try finish { try await site.post(count, through: communities) }
    let messenger = try finish { try await makeMessenger(in: "\(folder)/room", counted) }
    let before = trips(site)
    let room = try finish { try await messenger.joinRoom(site.link(0)) }
    try finish {
      while try await messenger.messages(in: room, limit: 1).isEmpty { await messenger.poll() }
      try await messenger.waitUntilSettled()
    }
    let joining = trips(site) - before
    print(
      "messaging/communities joining a room of \(count) messages: newest page after \(joining) round trips; "
        + "floor 2 (the room, its page); ratio \((Double(joining) / 2).rounded(to: 1)); target \(targetTrips): "
        + judged(joining <= targetTrips))
    try finish {
      // Nothing is to come before it is measured.
      await messenger.suspend()
      try await site.post(count, through: communities)
    }
    let served = counted.computed
    let cost = try Cost.of {
      try finish {
        await messenger.resume()
        while try await messenger.conversations().first(where: { $0.id == room })?.unreadMessages ?? 0 < count
        {
          await messenger.poll()
        }
      }
    }
    let ours = cost.computed - (counted.computed - served)
    let rate = Double(count) / ours
    let floor = try opening()
    print(
      "messaging/communities catch-up of \(count) messages: \(rate.rounded(to: 0)) messages/s of the processor; "
        + "floor \((Double(count) / floor).rounded(to: 0)) (verify, decode); ratio \((ours / floor).rounded(to: 2)); "
        + "target \(targetRate.rounded(to: 0)): \(judged(rate >= targetRate))")
    try finish { await messenger.stop() }
  }

  private static func trips(_ site: Site) -> Int { site.server.requests.count { !$0.hasPrefix(" ") } }

  /// The cost of verifying and decoding as many posts.
  private static func opening() throws -> Double {
    let (alice, bob) = (try Account.generate(), try Account.generate())
    let identity = try CommunityIdentity(of: bob, on: alice.id.key, scheme: .blinded15)
    let now = try MessageTime(milliseconds: UInt64(SystemClock().now))
    let posts = try (0..<count).map { number in
      let text = "message \(number) of those that wait for somebody who was away for long"
      let data = try bob.encode(
        Message(.visible(VisibleMessage(body: text)), sentAt: now), for: .community)
      return (data, try identity.sign(post: data))
    }
    return try Cost.of {
      for (data, signature) in posts {
        try identity.author.verify(signature, of: data)
        _ = try alice.decode(data, from: .community(sender: identity.author, postedAt: now))
      }
    }.computed
  }

  /// Measures the processor time of many idle rooms, in a process of its own.
  static func reportIdle(in path: String) throws {
    let communities = TestCommunities()
    let counted = Counted(communities)
    let sites = try (0..<servers).map { try Site($0, roomsOfServer, communities) }
    for site in sites { site.catchUp() }
    let messenger = try finish { try await makeMessenger(in: path, counted) }
    sleep(calming)
    let floor = share(without: counted)
    try finish {
      for site in sites {
        for room in 0..<roomsOfServer { _ = try await messenger.joinRoom(site.link(room)) }
      }
      try await messenger.waitUntilSettled()
    }
    sleep(calming)
    for site in sites { site.catchUp() }
    let idle = share(without: counted)
    print(
      "messaging/communities \(servers * roomsOfServer) idle rooms on \(servers) servers: "
        + "\((idle * 100).rounded(to: 3)) % of a core; floor \((floor * 100).rounded(to: 3)) % (without a room); "
        + "ratio \((idle / floor).rounded(to: 1)); target \((targetShare * 100).rounded(to: 0)) %: "
        + judged(idle <= targetShare))
    try finish { await messenger.stop() }
  }

  /// The share of a core that this process takes for a while, without its servers.
  private static func share(without counted: Counted) -> Double {
    let (computed, served) = (Cost.computedSeconds, counted.computed)
    sleep(watching)
    return (Cost.computedSeconds - computed - (counted.computed - served)) / Double(watching)
  }
}
