import SessionCore
import SessionMessaging
import SessionNode
import Testing

/// Nodes announce new messages: no device polls without a reason.
@Suite(.serialized, .timeLimit(.minutes(5))) struct TellingTests {
  @Test func sentMessagesAreReportedAtOnce() async throws {
    try await withTown(interval: .seconds(3600)) { (town) async throws in
      let alice = try await town.device(of: try Account.generate(), name: "Alice")
      let bob = try await town.device(of: try Account.generate(), name: "Bob")
      try await alice.send("first", to: bob.id)
      _ = try await bob.message("first", in: alice.id)
      var times: [Duration] = []
      for number in 0..<20 {
        let begun = ContinuousClock.now
        try await alice.send("\(number)", to: bob.id)
        _ = try await bob.message("\(number)", in: alice.id)
        times.append(.now - begun)
      }
      times.sort()
      print("told of a message after \(times[10]) in the middle, \(times[18]) at the most of 95 %")
      #expect(await bob.notifier() != nil)
    }
  }

  @Test func anotherNodeNotifiesWhenOneDies() async throws {
    try await withTown(interval: .seconds(3600)) { (town) async throws in
      let alice = try await town.device(of: try Account.generate(), name: "Alice")
      let bob = try await town.device(of: try Account.generate(), name: "Bob")
      for round in 0..<2 {
        try await alice.send("before \(round)", to: bob.id)
        _ = try await bob.message("before \(round)", in: alice.id)
        let notifier = try #require(await bob.notifier())
        let place = try #require(await town.net.places.first { $0.record.key == notifier })
        try await town.net.kill(place.number)
        try await alice.send("after \(round)", to: bob.id)
        _ = try await bob.message("after \(round)", in: alice.id)
      }
    }
  }

  @Test func notificationsResumeAfterSuspension() async throws {
    try await withTown(interval: .seconds(3600)) { (town) async throws in
      let alice = try await town.device(of: try Account.generate(), name: "Alice")
      let bob = try await town.device(of: try Account.generate(), name: "Bob")
      try await alice.send("before", to: bob.id)
      _ = try await bob.message("before", in: alice.id)
      await bob.suspend()
      #expect(await bob.notifier() == nil)
      let sent = try await alice.send("meanwhile", to: bob.id)
      _ = try await alice.when { try await $0.message(sent).flatMap { $0.state == .sent ? $0 : nil } }
      #expect(try await bob.messages(in: .person(alice.id)).count == 1)
      await bob.resume()
      _ = try await bob.message("meanwhile", in: alice.id)
      try await alice.send("after", to: bob.id)
      _ = try await bob.message("after", in: alice.id)
    }
  }
}
