import SessionCore
import SessionJobs
import SessionMessaging
import SessionNode
import Testing

/// Somebody has lost their only device, and has their recovery phrase on paper.
@Suite(.serialized, .timeLimit(.minutes(5))) struct RestoringTests {
  @Test func theWordsBringEverythingBack() async throws {
    try await withTown { (town) async throws in
      let bob = try await town.device(of: try Account.generate(), name: "Bob")
      let carol = try await town.device(of: try Account.generate(), name: "Carol")
      let mallory = try await town.device(of: try Account.generate(), name: "Mallory")
      let lost = try await town.device(of: try Account.generate(), name: "Alice")
      for friend in [bob, carol] {
        try await lost.send("Hello", to: friend.id)
        let asked = try await friend.message("Hello", in: lost.id)
        try await friend.send(OutgoingText("Hello Alice", answering: asked.id), to: lost.id)
        _ = try await lost.message("Hello Alice", in: friend.id)
      }
      try await mallory.send("Buy this", to: lost.id)
      _ = try await lost.message("Buy this", in: mallory.id)
      try await lost.block(mallory.id)
      try await lost.send("milk, bread", to: lost.id)
      try await lost.setNickname("Bobby", of: bob.id)
      try await lost.setPinned(true, .person(carol.id))
      try await lost.markRead(.person(bob.id))
      try await lost.setTimer(DisappearingTimer(.afterRead, seconds: 3600), in: .person(carol.id))
      let answer = try await lost.message("Hello Alice", in: bob.id)
      try await bob.react("👍", to: try await bob.message("Hello", in: lost.id).id)
      _ = try await lost.when { device in
        try await device.messages(in: .person(bob.id)).first { $0.reactions.map(\.emoji) == ["👍"] }
      }
      // Only stored configs can be restored.
      while try await lost.hasUnstoredConfigs { await lost.poll() }
      let words = try lost.recoveryPhrase().text().reveal()
      await town.stop(lost)

      // New messages still reach every device that has the phrase.
      try await bob.send("Are you there?", to: lost.id)
      let found = try await town.device(of: restored(from: words))
      #expect(found.id == lost.id)
      _ = try await found.message("Are you there?", in: bob.id)
      #expect(try await found.name() == "Alice")
      #expect(try await found.bodies(in: bob.id) == ["Hello", "Hello Alice", "Are you there?"])
      let again = try await found.message("Hello Alice", in: bob.id)
      #expect(again.quoted?.body == "Hello" && again.sentAt == answer.sentAt && again.isRead)
      #expect(try await found.message("Hello", in: bob.id).reactions.map(\.emoji) == ["👍"])
      #expect(try await found.bodies(in: lost.id) == ["milk, bread"])
      let shown = try await found.conversations()
      #expect(shown.first?.id == .person(carol.id) && shown.first?.isPinned == true)
      #expect(shown.first?.timer == (try DisappearingTimer(.afterRead, seconds: 3600)))
      #expect(Set(shown.map(\.name)) == ["Carol", "Bobby", "Alice"])
      #expect(shown.allSatisfy { $0.isAccepted })
      let contacts = Dictionary(uniqueKeysWithValues: try await found.contacts().map { ($0.id, $0) })
      #expect(contacts[mallory.id]?.isBlocked == true)
      #expect(try await found.requests().isEmpty)

      // It is a device like any other.
      try await found.send("New phone", to: bob.id)
      _ = try await bob.message("New phone", in: found.id)
      let bodies = try await bob.bodies(in: found.id)
      #expect(bodies == ["Hello", "Hello Alice", "Are you there?", "New phone"])
    }
  }

  @Test func anAccountThatTheSwarmHasForgottenBeginsAnew() async throws {
    try await withTown { (town) async throws in
      let words = try Account.generate().recoveryPhrase().text().reveal()
      let found = try await town.device(of: restored(from: words))
      while await !found.poll() {}
      #expect(try await found.name() == "")
      #expect(try await found.conversations().isEmpty)
      // Nothing was stored that another device could take for what is newest.
      try await found.waitUntilIdle()
      let stored = await town.net.status().nodes.map(\.messages)
      #expect(stored.allSatisfy { $0 == 0 })
      try await found.setName("Anew")
      let other = try await town.device(of: restored(from: words))
      _ = try await other.when { try await $0.name() == "Anew" ? true : nil }
    }
  }
}

private func restored(from words: String) throws -> Account {
  try Account(RecoveryPhrase(parsing: Array(words.utf8)))
}

extension Messenger {
  fileprivate var hasUnstoredConfigs: Bool {
    get async throws { try await jobs().jobs.contains { $0.kind == "configSync" && $0.state != .failed } }
  }
}
