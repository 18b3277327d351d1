import SessionCore
import SessionMessaging
import Testing

/// Forward secrecy over a real network, between two people with two devices each.
@Suite(.serialized, .timeLimit(.minutes(10))) struct SecureTalkTests {
  @Test func allDevicesHaveEveryMessageWithForwardSecrecy() async throws {
    try await withFourDevices { (town, alice, bob) async throws in
      for devices in [alice, bob] {
        for device in devices {
          try await device.enableSecurity()
          _ = try await device.when { try await $0.ownSecurity().publishedAt }
        }
        let ids = (try await devices[0].ownID(), try await devices[1].ownID())
        try await devices[0].linkDevice(ids.1)
        try await devices[1].linkDevice(ids.0)
        for device in devices {
          _ = try await device.when { device in
            let security = try await device.ownSecurity()
            return security.publishedAt != nil && security.devices.map(\.status) == [.own, .accepted]
              ? security : nil
          }
        }
      }
      for (number, (device, conversation)) in everywhere(alice, bob).enumerated() {
        let text = "secret \(number)"
        let id = try await device.send(text, to: conversation)
        // The first one waits for keys.
        try await device.wait { try await $0.message(id)?.state == .sent }
        for (other, with) in everywhere(alice, bob) {
          let message = try await other.message(text, in: with)
          #expect(message.level == .sr1, "\(number)")
        }
      }
      // The recovery phrase alone opens none of it.
      let thief = try await town.device(of: try Account(bob[0].recoveryPhrase()))
      _ = try await thief.message("Hi", in: alice[0].id)
      #expect(try await !thief.messages(in: .person(alice[0].id)).contains { $0.body.hasPrefix("secret") })
    }
  }

  @Test func bothSidesSeeTheSameNumberAndAreWarnedOfANewDevice() async throws {
    try await withFourDevices { (town, alice, bob) async throws in
      for device in [alice[0], bob[0]] {
        try await device.enableSecurity()
        _ = try await device.when { try await $0.ownSecurity().publishedAt }
      }
      for (device, other) in [(alice[0], bob[0]), (bob[0], alice[0])] {
        try await device.lookUpDevices(of: other.id)
        #expect(try await device.safetyNumber(with: other.id).candidates.count == 1)
      }
      let ours = try #require(try await alice[0].safetyNumber(with: bob[0].id).candidates.first)
      let theirs = try #require(try await bob[0].safetyNumber(with: alice[0].id).candidates.first)
      #expect(ours.number.digits == theirs.number.digits)
      #expect(try ours.number.compare(codeText: theirs.number.codeText) == .equal)
      try await alice[0].confirm(ours, of: bob[0].id, by: .code)
      #expect(try await alice[0].verifiedPeople().map(\.state) == [.verified])
      try await bob[1].enableSecurity()
      _ = try await bob[1].when { try await $0.ownSecurity().publishedAt }
      try await alice[0].lookUpDevices(of: bob[0].id)
      #expect(try await alice[0].verifiedPeople().map(\.state) == [.changed])
      await #expect { try await alice[0].send("refused", to: bob[0].id) } throws: {
        MessengerError.Code.identity ~= $0
      }
    }
  }
}

extension Messenger {
  /// The id of this device.
  fileprivate func ownID() async throws -> [UInt8] {
    try #require(try await ownSecurity().devices.first { $0.status == .own }).id
  }
}
