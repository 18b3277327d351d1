import Foundation
import SessionCore
import SessionMessaging
import SessionNetworking
import SessionNode
import Testing

/// Two people talk over a real network: Alice with two devices, and Bob.
@Suite(.serialized, .timeLimit(.minutes(10))) struct ConversationTests {
  @Test func twoPeopleTalkOnAllTheirDevices() async throws {
    try await withTown { (town) async throws in
      let account = try Account.generate()
      let phone = try await town.device(of: account, name: "Alice")
      let bob = try await town.device(of: try Account.generate(), name: "Bob")

      let first = try await phone.send("Hello Bob", to: bob.id)
      let asked = try await bob.message("Hello Bob", in: phone.id)
      #expect(asked.author == phone.id)
      #expect(try await bob.requests().compactMap(\.id.account) == [phone.id])
      _ = try await phone.when { try await $0.message(first).flatMap { $0.state == .sent ? $0 : nil } }

      try await bob.send(OutgoingText("Hello Alice", answering: asked.id), to: phone.id)
      let answer = try await phone.message("Hello Alice", in: bob.id)
      #expect(answer.quoted?.message == first)
      _ = try await phone.when { device in
        try await device.conversation(.person(bob.id)).flatMap {
          $0.isAccepted && $0.name == "Bob" ? $0 : nil
        }
      }

      // A second device knows everything from the swarm.
      let desk = try await town.device(of: account)
      _ = try await desk.message("Hello Alice", in: bob.id)
      _ = try await desk.message("Hello Bob", in: bob.id)
      _ = try await desk.when { device in
        let name = try await device.name()
        let shown = try await device.conversations().first?.name
        return name == "Alice" && shown == "Bob" ? true : nil
      }

      try await desk.send("from my desk", to: bob.id)
      let fromDesk = try await bob.message("from my desk", in: phone.id)
      let copy = try await phone.message("from my desk", in: bob.id)
      #expect(copy.isOutgoing)

      try await bob.react("👍", to: fromDesk.id)
      for device in [phone, desk] {
        _ = try await device.when { device in
          try await device.messages(in: .person(bob.id)).first { $0.reactions.map(\.emoji) == ["👍"] }
        }
      }

      try await phone.setNickname("Bobby", of: bob.id)
      _ = try await desk.when { device in
        try await device.conversation(.person(bob.id)).flatMap { $0.name == "Bobby" ? $0 : nil }
      }

      try await phone.delete(copy.id, .forEveryone)
      for (device, other) in [(bob, phone.id), (desk, bob.id)] {
        _ = try await device.when { device in
          try await device.messages(in: .person(other)).first { $0.kind == .deleted }
        }
      }
    }
  }

  @Test func dyingNodesDoNotStopTheConversation() async throws {
    try await withTown { (town) async throws in
      let alice = try await town.device(of: try Account.generate(), name: "Alice")
      let bob = try await town.device(of: try Account.generate(), name: "Bob")
      try await alice.send("before", to: bob.id)
      _ = try await bob.message("before", in: alice.id)
      for number in [1, 2] { try await town.net.kill(number) }
      for number in 0..<5 { try await alice.send("after \(number)", to: bob.id) }
      for number in 0..<5 { _ = try await bob.message("after \(number)", in: alice.id) }
      let bodies = try await bob.messages(in: .person(alice.id)).map(\.body)
      #expect(bodies.count == Set(bodies).count)
    }
  }

  @Test func fiftyMessagesAtOnceArriveOnce() async throws {
    try await withTown { (town) async throws in
      let alice = try await town.device(of: try Account.generate(), name: "Alice")
      let bob = try await town.device(of: try Account.generate(), name: "Bob")
      let begun = ContinuousClock.now
      for number in 0..<50 { try await alice.send("\(number)", to: bob.id) }
      for number in 0..<50 { _ = try await bob.message("\(number)", in: alice.id) }
      print("fifty messages at once arrived in \(ContinuousClock.now - begun)")
      let bodies = try await bob.messages(in: .person(alice.id), limit: 100).reversed().map(\.body)
      #expect(bodies == (0..<50).map { "\($0)" })
    }
  }
}
