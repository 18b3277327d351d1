import SessionCore
import SessionStorage
import Testing

@testable import SessionMessaging

/// Programs that end behind any commit lose no message, and use no key twice.
@Suite struct RatchetCrashTests {
  @Test func everyCommitOfASenderMayBeItsLast() async throws {
    var count = 0
    while try await crash(afterCommits: count, isSender: true) { count += 1 }
    #expect(count > 5)
  }

  @Test func everyCommitOfAReceiverMayBeItsLast() async throws {
    var count = 0
    while try await crash(afterCommits: count, isSender: false) { count += 1 }
    #expect(count > 3)
  }

  /// Returns false if the program did not make that many commits.
  private func crash(afterCommits count: Int, isSender: Bool) async throws -> Bool {
    let world = World()
    let alice = try await MemoryDevice(of: .generate(), in: world)
    let bob = try await MemoryDevice(of: .generate(), in: world)
    let (a, b) = (alice.messenger.id, bob.messenger.id)
    try await alice.messenger.setName("Alice")
    try await alice.messenger.send("hello", to: b)
    try await world.settle()
    try await bob.messenger.send("hello", to: a)
    try await alice.messenger.enableSecurity()
    try await bob.messenger.enableSecurity()
    try await world.settle()
    try await alice.messenger.send("zero", to: b)
    try await world.settle()
    let device = isSender ? alice : bob
    if !isSender {
      await bob.messenger.suspend()
      for text in ["one", "two"] { try await alice.messenger.send(text, to: b) }
      try await alice.messenger.waitUntilIdle()
    }
    let hasEnded = try await device.crash(afterCommits: count, in: world) { messenger in
      if isSender {
        for text in ["one", "two"] { try await messenger.send(text, to: b) }
        try await messenger.waitUntilIdle()
      } else {
        await messenger.resume()
        await messenger.poll()
        try await messenger.waitUntilIdle()
      }
    }
    try await world.settle()
    let sent = try await alice.messenger.bodies(in: b)
    #expect(try await bob.messenger.bodies(in: a) == sent, "after \(count) commits")
    if !isSender { #expect(sent.suffix(2) == ["one", "two"]) }
    try await bob.messenger.send("back", to: a)
    try await alice.messenger.send("forth", to: b)
    try await world.settle()
    #expect(try await alice.messenger.bodies(in: b).contains("back"), "after \(count) commits")
    #expect(try await bob.messenger.bodies(in: a).contains("forth"), "after \(count) commits")
    #expect(try await bob.messenger.securityNotes(in: a).allSatisfy { $0 == .protected })
    await world.stop()
    return hasEnded
  }
}
