import SessionCore
import SessionMessaging

/// Alice and Bob with two devices each, who know each other and take each other's pictures without asking.
func withFourDevices(
  _ body: (Town, _ alice: [Messenger], _ bob: [Messenger]) async throws -> Void
) async throws {
  try await withTown { (town) async throws in
    let (first, second) = (try Account.generate(), try Account.generate())
    let alice = try await town.device(of: first, name: "Alice")
    let bob = try await town.device(of: second, name: "Bob")
    try await alice.send("Hello", to: bob.id)
    _ = try await bob.message("Hello", in: alice.id)
    try await bob.send("Hi", to: alice.id)
    _ = try await alice.message("Hi", in: bob.id)
    let devices = (try await town.device(of: first), try await town.device(of: second))
    _ = try await devices.0.message("Hi", in: bob.id)
    _ = try await devices.1.message("Hi", in: alice.id)
    for (device, other) in [(alice, bob), (devices.0, bob), (bob, alice), (devices.1, alice)] {
      _ = try await device.when { device in
        try await device.contacts().first { $0.id == other.id && $0.isApproved }
      }
      try await device.setDownloadsByItself(true, of: other.id)
    }
    try await body(town, [alice, devices.0], [bob, devices.1])
  }
}

/// The devices of two people, each with its conversation with the other one.
func everywhere(_ alice: [Messenger], _ bob: [Messenger]) -> [(device: Messenger, conversation: SessionID)] {
  alice.map { ($0, bob[0].id) } + bob.map { ($0, alice[0].id) }
}
