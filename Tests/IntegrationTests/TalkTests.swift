import SessionCore
import SessionMessaging
import Testing

/// Conversations over a real network are the same on both devices of each person.
@Suite(.serialized, .timeLimit(.minutes(10))) struct TalkTests {
  @Test func linksMentionsAnswersAndReactionsAreEverywhere() async throws {
    try await withFourDevices { (_, alice, bob) async throws in
      let (url, picture) = ("https://example.org/page", image(9, 9, 2000))
      let text = "@\(bob[0].id) see \(url)"
      let preview = OutgoingText.Preview(url: url, title: "A page", image: OutgoingFile(.bytes(picture)))
      try await alice[0].send(OutgoingText(text, preview: preview), to: bob[0].id)
      for (device, conversation) in everywhere(alice, bob) {
        let message = try await device.message(text, in: conversation)
        #expect(message.mentionsUs == (device.id == bob[0].id))
        #expect(message.link?.url == url && message.link?.title == "A page")
        let shown = try #require(message.link?.image)
        #expect(try await device.ready(shown.id) == picture)
      }
      let asked = try await bob[1].message(text, in: alice[0].id)
      try await bob[1].send(OutgoingText("I see", answering: asked.id), to: alice[0].id)
      for (device, conversation) in everywhere(alice, bob) {
        let answer = try await device.message("I see", in: conversation)
        #expect(answer.quoted?.body == text && answer.quoted?.author == alice[0].id)
        let found = try await device.search("see", in: .person(conversation)).messages.map(\.body)
        #expect(found == ["I see", text])
      }
      try await alice[1].react("🎉", to: try await alice[1].message("I see", in: bob[0].id).id)
      try await bob[0].react("👍", to: try await bob[0].message("I see", in: alice[0].id).id)
      for (device, conversation) in everywhere(alice, bob) {
        try await device.wait {
          let shown = try await $0.message("I see", in: conversation).reactions
          return Set(shown.map(\.author)) == [alice[0].id, bob[0].id]
        }
      }
      // The other device of the same person takes it back.
      try await alice[0].unreact("🎉", to: try await alice[0].message("I see", in: bob[0].id).id)
      for (device, conversation) in everywhere(alice, bob) {
        try await device.wait {
          try await $0.message("I see", in: conversation).reactions.map(\.emoji) == ["👍"]
        }
      }
    }
  }

  @Test func readReceiptsAndTypingArrive() async throws {
    try await withFourDevices { (_, alice, bob) async throws in
      for device in alice + bob {
        try await device.setReadReceipts(true)
        try await device.setTypingIndicators(true)
      }
      for device in bob {
        while try await device.conversation(.person(alice[0].id))?.isTyping != true {
          // Typing ends after a while without keystrokes.
          try await alice[1].setTyping(true, in: .person(bob[0].id))
          await device.poll()
        }
      }
      try await alice[1].send("seen?", to: bob[0].id)
      for device in bob {
        _ = try await device.message("seen?", in: alice[0].id)
        let conversation = try await device.conversation(.person(alice[0].id))
        #expect(conversation?.isTyping == false && conversation?.unreadMessages ?? 0 > 0)
      }
      try await bob[1].markRead(.person(alice[0].id))
      try await bob[0].wait(for: alice[0].id) { $0.unreadMessages == 0 }
      for device in alice {
        try await device.wait { try await $0.message("seen?", in: bob[0].id).readByRecipientAt != nil }
      }
      // Of what two devices mark at once, one mark remains.
      for device in bob { try await device.waitUntilSettled() }
      try await bob[0].markUnread(.person(alice[0].id))
      try await bob[1].wait(for: alice[0].id) { $0.isMarkedUnread }
      try await bob[1].markRead(.person(alice[0].id))
      try await bob[0].wait(for: alice[0].id) { !$0.isMarkedUnread }
      for device in bob { try await device.waitUntilSettled() }
      // A reply also marks the conversation as read.
      try await alice[0].send("and now?", to: bob[0].id)
      for device in bob { _ = try await device.message("and now?", in: alice[0].id) }
      try await bob[0].send("yes", to: alice[0].id)
      for device in bob { try await device.wait(for: alice[0].id) { $0.unreadMessages == 0 } }
    }
  }

  @Test func deletionsGoAsFarAsTheyShould() async throws {
    try await withFourDevices { (_, alice, bob) async throws in
      for body in ["here", "own", "all"] { try await alice[0].send(OutgoingText(body), to: bob[0].id) }
      for (device, conversation) in everywhere(alice, bob) {
        for body in ["here", "own", "all"] { _ = try await device.message(body, in: conversation) }
      }
      try await bob[0].delete(try await bob[0].message("here", in: alice[0].id).id)
      let own = try await alice[0].message("own", in: bob[0].id)
      try await alice[0].delete(own.id, .onOwnDevices)
      try await alice[1].delete(try await alice[1].message("all", in: bob[0].id).id, .forEveryone)
      for device in alice {
        try await device.wait {
          Set(try await $0.bodies(in: bob[0].id)).isDisjoint(with: ["own", "all"])
        }
        #expect(try await device.bodies(in: bob[0].id).contains("here"))
      }
      for device in bob {
        try await device.wait { try await !$0.bodies(in: alice[0].id).contains("all") }
        #expect(try await device.bodies(in: alice[0].id).contains("own"))
      }
      #expect(try await !bob[0].bodies(in: alice[0].id).contains("here"))
      #expect(try await bob[1].bodies(in: alice[0].id).contains("here"))
    }
  }

  @Test func aConversationThatIsDeletedIsGoneOnBothDevices() async throws {
    try await withFourDevices { (_, alice, bob) async throws in
      for device in bob { try await device.waitUntilSettled() }
      try await bob[0].deleteConversation(.person(alice[0].id))
      for device in bob {
        try await device.wait {
          let contacts = try await $0.contacts()
          return try await $0.conversation(.person(alice[0].id)) == nil && contacts.isEmpty
        }
      }
      #expect(try await alice[0].bodies(in: bob[0].id) == ["Hello", "Hi"])
      // A deleted sender makes a new request.
      try await alice[0].send("Still there?", to: bob[0].id)
      for device in bob {
        try await device.wait { try await $0.requests().compactMap(\.id.account) == [alice[0].id] }
        #expect(try await device.bodies(in: alice[0].id) == ["Still there?"])
      }
    }
  }

  @Test func missedCallsAndSavedFilesAreNoted() async throws {
    try await withFourDevices { (town, alice, bob) async throws in
      let account = try Account(try alice[0].recoveryPhrase())
      try await town.put(.call(CallMessage(.preOffer, of: "a call")), by: account, to: bob[0].id)
      for device in bob {
        try await device.wait { try await $0.notes(.missedCall, in: alice[0].id).count == 1 }
      }
      let picture = image(3, 3, 5000)
      try await alice[0].send(
        OutgoingText("mine"), attachments: [OutgoingFile(.bytes(picture))], to: bob[0].id)
      let file = try await bob[1].message("mine", in: alice[0].id).attachments[0]
      #expect(try await bob[1].ready(file.id) == picture)
      try await bob[1].save(file.id, to: town.freshFolder())
      for device in alice {
        try await device.wait { try await $0.notes(.mediaSaved, in: bob[0].id).map(\.author) == [bob[0].id] }
      }
      for device in bob { #expect(try await device.notes(.mediaSaved, in: alice[0].id).isEmpty) }
    }
  }

  @Test func messagesDisappearEverywhere() async throws {
    try await withFourDevices { (town, alice, bob) async throws in
      let afterSend = try DisappearingTimer(.afterSend, seconds: 20)
      try await alice[1].setTimer(afterSend, in: .person(bob[0].id))
      try await alice[0].wait(for: bob[0].id) { $0.timer == afterSend }
      for (device, conversation) in everywhere(alice, bob) {
        try await device.wait { try await $0.notes(.timerChanged, in: conversation).count == 1 }
      }
      try await alice[0].send("for a while", to: bob[0].id)
      for (device, conversation) in everywhere(alice, bob) {
        let message = try await device.message("for a while", in: conversation)
        try await device.wait { device in
          let end = try await device.message(message.id).map(\.disappearsAt)
          return end == nil || end == message.sentAt + 20_000
        }
      }
      // If two devices push changes at once, the later one may count as the earlier one.
      for device in alice + alice { try await device.waitUntilTold() }
      try await alice[0].setTimer(DisappearingTimer(.afterRead, seconds: 4), in: .person(bob[0].id))
      try await alice[1].wait(for: bob[0].id) { $0.timer?.mode == .afterRead }
      try await alice[1].send("until it is read", to: bob[0].id)
      for device in bob { _ = try await device.message("until it is read", in: alice[0].id) }
      try await bob[0].markRead(.person(alice[0].id))
      for (device, conversation) in everywhere(alice, bob) {
        try await device.wait {
          Set(try await $0.bodies(in: conversation)).isDisjoint(with: ["for a while", "until it is read"])
        }
      }
      // The swarm lets go of both as well, soon: a new device finds what was before them alone.
      let deadline = ContinuousClock.now + .seconds(120)
      var found: [String] = []
      while found != ["Hello", "Hi"], .now < deadline {
        let new = try await town.device(of: Account(try bob[0].recoveryPhrase()))
        _ = try await new.message("Hi", in: alice[0].id)
        found = try await new.bodies(in: alice[0].id)
        await town.stop(new)
      }
      #expect(found == ["Hello", "Hi"])
    }
  }
}
