import SessionCore
import SessionNetworking
import SessionStorage
import Testing

@testable import SessionMessaging

/// Alice and Bob, who know each other and have forward secrecy on.
func withSecureAliceAndBob(
  _ body: (World, _ alice: Messenger, _ bob: Messenger) async throws -> Void
) async throws {
  try await withAliceAndBob { world, alice, bob in
    try await alice.enableSecurity()
    try await bob.enableSecurity()
    try await world.settle()
    try await body(world, alice, bob)
  }
}

/// Alice and Bob with two linked devices each, which have forward secrecy on.
func withFourDevices(
  _ body: (World, _ alice: [Messenger], _ bob: [Messenger]) async throws -> Void
) async throws {
  let world = World()
  let (a, b) = (try Account.generate(), try Account.generate())
  var people: [[Messenger]] = []
  for (account, name) in [(a, "Alice"), (b, "Bob")] {
    let first = try await world.device(of: account, name: name)
    let second = try await world.device(of: account)
    people.append([first, second])
  }
  try await people[0][0].send("hello", to: b.id)
  try await world.settle()
  try await people[1][0].send("hello", to: a.id)
  try await world.settle()
  for devices in people {
    for device in devices {
      try await device.enableSecurity()
      try await world.settle()
    }
    try await link(devices[0], devices[1])
    try await world.settle()
  }
  world.clock.advance(by: BundlePublishing.check + 1000)
  try await world.settle()
  do { try await body(world, people[0], people[1]) } catch {
    await world.stop()
    throw error
  }
  await world.stop()
}

func link(_ one: Messenger, _ other: Messenger) async throws {
  let (first, second) = (try await one.deviceID(), try await other.deviceID())
  // Each has to know the other from its slot.
  try await one.linkDevice(second)
  try await other.linkDevice(first)
}

extension World {
  static let hour: Int64 = 3_600_000
  static let day: Int64 = 24 * hour

  /// Lets days pass, with polls and jobs every few hours.
  func pass(days: Int, hoursApart: Int64 = 6) async throws {
    for _ in 0..<(Int64(days) * 24 / hoursApart) {
      clock.advance(by: hoursApart * Self.hour)
      try await settle(rounds: 1)
    }
  }
}

extension MemorySwarms {
  /// The messages to an account that begin as those of the ratchet protocol do.
  func sealedForDevices(_ swarm: SessionID) -> [SwarmMessage] {
    kept(swarm).filter { $0.data.starts(with: RatchetEnvelope.prefix) }
  }

  /// The bundles of an account.
  func bundles(of account: SessionID) -> [RatchetBundle] {
    StorageNamespace.bundles.flatMap { kept(account, in: $0) }.compactMap { message in
      try? RatchetBundle(
        opening: message.data, of: account, atSeconds: message.storedAt.seconds)
    }
  }
}

extension Messenger {
  /// The changes that notes of security in the conversation with somebody tell, oldest first.
  func securityNotes(in person: SessionID) async throws -> [SecurityChange] {
    try await messages(in: .person(person)).reversed().compactMap { message in
      guard case .note(.security(let change, _)) = message.kind else { return nil }
      return change
    }
  }

  /// This device's id.
  func deviceID() async throws -> [UInt8] {
    try #require(try await ownSecurity().devices.first { $0.status == .own }).id
  }

  /// The level at which the newest message with somebody went.
  func lastLevel(in person: SessionID) async throws -> SecurityLevel? {
    try await messages(in: .person(person)).first { $0.kind == .message }?.level
  }
}
