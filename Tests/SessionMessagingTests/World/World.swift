import Foundation
import SessionCore
import SessionJobs
import SessionNetworking
import SessionStorage
import Synchronization
import Testing

@testable import SessionMessaging

/// People with devices, whose swarms and clock are those of the test.
final class World: Sendable {
  let clock = VirtualClock()
  let swarms: MemorySwarms
  let files: MemoryFileServer
  let servers: MemoryServers
  /// The folder in which the devices keep files.
  let folder = FileManager.default.temporaryDirectory.appending(path: "world-\(UUID().uuidString)").path
  private let devices = Mutex<[Messenger]>([])
  private let luck = Luck()

  /// What devices draw instead of random numbers, from 0 to 1.
  private final class Luck: Sendable {
    let chance = Mutex(0.0)
  }

  init() {
    swarms = MemorySwarms(clock)
    files = MemoryFileServer(clock)
    servers = MemoryServers(clock)
  }

  /// Sets what devices draw from now on. At first they always draw 0.
  func setChance(_ chance: Double) { luck.chance.withLock { $0 = chance } }

  var environment: MessengerEnvironment {
    var environment = MessengerEnvironment(
      swarms: swarms, files: files.client, clock: clock, chance: { [luck] in luck.chance.withLock { $0 } })
    environment.makeServerFeed = { [servers] inbox in RoomFeed(inbox: inbox, servers: servers) }
    return environment
  }

  /// A device that runs, whose clock may be wrong.
  func device(
    of account: Account, name: String? = nil, format: AttachmentFormat = .legacy, aheadBy error: Int64 = 0
  ) async throws -> Messenger {
    var environment = environment
    environment.fileFormat = format
    if error != 0 { environment.clock = WrongClock(clock: clock, error: error) }
    let messenger = try Messenger(
      account, try .inMemory(schema: .account), environment, folder: "\(folder)/\(UUID().uuidString)")
    if let name { try await messenger.setName(name) }
    return try await start(messenger)
  }

  func start(_ messenger: Messenger) async throws -> Messenger {
    try await messenger.start()
    devices.withLock { $0.append(messenger) }
    await messenger.poll()
    return messenger
  }

  /// Lets time pass until everybody has done what there was to do, and knows what the others did.
  func settle(rounds: Int = 3) async throws {
    for _ in 0..<rounds {
      clock.advance(by: 3100)
      for device in devices.withLock({ $0 }) {
        try await device.waitUntilIdle()
        await device.poll()
        try await device.waitUntilIdle()
      }
    }
  }

  /// Does the same until a condition holds, for at most so many rounds: the news that the network is back may come late.
  func settle(upTo rounds: Int = 40, until isDone: () async throws -> Bool) async throws {
    for _ in 0..<rounds where try await !isDone() { try await settle(rounds: 1) }
  }

  func stop(_ messenger: Messenger) async {
    devices.withLock { $0.removeAll { $0 === messenger } }
    await messenger.stop(finishingWithin: .zero)
  }

  func stop() async {
    for device in devices.withLock({ $0 }) { await stop(device) }
    try? FileManager.default.removeItem(atPath: folder)
  }
}

/// Alice and Bob, who know each other if so wished.
func withAliceAndBob(
  areFriends: Bool = true, _ body: (World, _ alice: Messenger, _ bob: Messenger) async throws -> Void
) async throws {
  let world = World()
  let alice = try await world.device(of: .generate(), name: "Alice")
  let bob = try await world.device(of: .generate(), name: "Bob")
  if areFriends {
    try await alice.send("Hello Bob", to: bob.id)
    try await world.settle()
    try await bob.send("Hello Alice", to: alice.id)
    try await world.settle()
  }
  do { try await body(world, alice, bob) } catch {
    await world.stop()
    throw error
  }
  await world.stop()
}

extension Messenger {
  /// The texts of a conversation with a person, oldest first.
  func bodies(in person: SessionID) async throws -> [String] {
    try await messages(in: .person(person)).reversed().filter { $0.kind == .message }.map(\.body)
  }

  /// The newest message of the conversation with somebody.
  func last(in person: SessionID) async throws -> MessageView {
    try #require(try await messages(in: .person(person), limit: 1).first)
  }

  func kinds() async throws -> [MessengerEvent.Kind] { try await events(limit: 1000).map(\.kind) }
}

/// A folder that is gone at the end.
func withFolder(_ body: (AccountFolder) async throws -> Void) async throws {
  let path = FileManager.default.temporaryDirectory.appending(path: "messenger-\(UUID().uuidString)").path
  defer { try? FileManager.default.removeItem(atPath: path) }
  try await body(try AccountFolder("alice", in: StorageRoots(inside: path)))
}
