import Foundation
import SeededNumbers
import SessionCore
import SessionNetworking
import SessionStorage
import Synchronization
import TestCommunity
import Testing

@testable import SessionMessaging

/// A community server that answers with anything. The client asks no other host, signs nothing but its requests, and never
/// shows its account id; once the server is honest again, everything is there.
@Suite(.timeLimit(.minutes(5))) struct HostileServerTests {
  /// Changes what an honest server answers, while it is switched on, and looks at each request.
  private final class Liar: ServerService {
    private struct State {
      var numbers: SeededGenerator
      var isLying = false
      var hosts: Set<String> = []
      var requests: [ServerRequest] = []
    }

    private let service: any ServerService
    private let state: Mutex<State>

    init(_ world: CommunityWorld, seed: UInt64) {
      service = world.service
      state = Mutex(State(numbers: SeededGenerator(seed: seed)))
    }

    func lie(_ isLying: Bool) { state.withLock { $0.isLying = isLying } }

    var hosts: Set<String> { state.withLock { $0.hosts } }
    var requests: [ServerRequest] { state.withLock { $0.requests } }

    func send(
      _ request: ServerRequest, to server: OnionServer, _ delivery: Network.Delivery
    ) async throws(NetworkFailure) -> ServerResponse {
      state.withLock { state in
        state.hosts.insert(server.host)
        state.requests.append(request)
      }
      let response = try await service.send(request, to: server, delivery)
      return state.withLock { state in
        guard state.isLying else { return response }
        return Self.changed(response, using: &state.numbers)
      }
    }

    private static let pieces = [
      "null", "-1", "0", "1e308", "[]", "{}", "\"\"", "true", "9007199254740992", "9007199254740991",
      "\"https://evil.example/x?public_key=00\"", "\"15\(String(repeating: "00", count: 32))\"",
    ]

    private static func changed(
      _ response: ServerResponse, using numbers: inout SeededGenerator
    ) -> ServerResponse {
      switch Int.random(in: 0..<10, using: &numbers) {
      case 0:
        let status = [301, 302, 307, 400, 401, 404, 425, 429, 500].randomElement(using: &numbers) ?? 500
        return ServerResponse(
          status: status, headers: [ServerResponse.Header("location", "https://evil.example/")],
          bodyKind: .bytes, body: Array("requires the use of blinded ids <html>".utf8))
      case 1:
        return ServerResponse(
          status: 200, headers: [ServerResponse.Header("content-encoding", "gzip")], bodyKind: .bytes,
          body: [0x1f, 0x8b, 8, 0])
      default: break
      }
      var bytes = response.body
      for _ in 0..<Int.random(in: 1...6, using: &numbers) where !bytes.isEmpty {
        let place = Int.random(in: 0..<bytes.count, using: &numbers)
        let piece = Array(pieces.randomElement(using: &numbers)!.utf8)
        // Mostly one value in place of another, so that the rest is still read.
        if let colon = bytes[place...].firstIndex(of: UInt8(ascii: ":")),
          let end = bytes[colon...].firstIndex(where: { $0 == UInt8(ascii: ",") || $0 == UInt8(ascii: "}") }),
          Int.random(in: 0..<8, using: &numbers) > 0
        {
          bytes.replaceSubrange((colon + 1)..<end, with: piece)
        } else {
          bytes[place] = UInt8.random(in: 0...255, using: &numbers)
        }
      }
      return ServerResponse(
        status: response.status, headers: response.headers, bodyKind: .bytes, body: bytes)
    }
  }

  /// The number of polls of a server that lies.
  private static let polls = ProcessInfo.processInfo.environment["SOAK"] == nil ? 40 : 1500

  @Test(arguments: 0..<3 as Range<UInt64>) func aServerThatLiesHarmsOnlyItsOwnRooms(seed: UInt64) async throws
  {
    try await withCommunity { world in
      let liar = Liar(world, seed: seed)
      var environment = world.environment
      environment.communities = CommunityClient(through: liar)
      let alice = try await world.world.start(
        Messenger(.generate(), .inMemory(schema: .account), environment))
      let friend = try await world.world.device(of: .generate(), name: "Friend")
      try await alice.send("hello", to: friend.id)
      _ = try await alice.joinRoom(world.link)
      let own = try BlindedIdentity(of: alice.context.account, on: world.server.key, scheme: .blinded15).id
      let bob = try world.visitor()
      #expect(await world.poll(alice))
      liar.lie(true)
      for number in 0..<Self.polls {
        try await bob.post("lie \(number)")
        try await bob.write("letter \(number)", to: own, on: world)
        _ = await world.poll(alice)
      }
      liar.lie(false)
      try await bob.post("the truth")
      // It may have made up numbers that are larger than all that follow.
      try await alice.context.database.write { transaction in
        var server = try #require(try transaction.communityServer(CommunityWorld.url))
        (server.inboxLatest, server.outboxLatest) = (0, 0)
        try transaction.put(server)
        for var room in try transaction.communities(on: server.url) {
          room.sequenceNumber = 0
          try transaction.put(room)
        }
      }
      // The longest rest after failures.
      world.world.clock.advance(by: 3_700_000)
      for _ in 0..<8 { _ = await world.poll(alice) }
      #expect(try await world.texts(alice).contains("the truth"))
      #expect(
        try await alice.bodies(in: bob.account.id).contains("letter \(Self.polls - 1)"))
      try await world.world.settle()
      #expect(try await friend.bodies(in: alice.id) == ["hello"])
      expectDiscretion(of: alice, liar, world)
    }
  }

  private func expectDiscretion(of alice: Messenger, _ liar: Liar, _ world: CommunityWorld) {
    #expect(liar.hosts == ["chat.example.org"])
    let account = alice.id.description
    for request in liar.requests {
      let text =
        request.endpoint + request.headers.map { "\($0.name): \($0.value)" }.joined()
        + String(decoding: request.body ?? [], as: UTF8.self)
      #expect(!text.contains(account.dropFirst(2)))
    }
  }
}
