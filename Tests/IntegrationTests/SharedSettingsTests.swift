import SessionCore
import SessionMessaging
import Testing

/// Settings of one device reach the other one over a real network.
@Suite(.serialized, .timeLimit(.minutes(10))) struct SharedSettingsTests {
  @Test func conversationsAndProfilesAreTheSameOnBothDevices() async throws {
    try await withFourDevices { (_, alice, bob) async throws in
      let (person, until) = (bob[0].id, Int64(4_000_000_000_000))
      try await alice[0].setPinned(true, .person(person))
      try await alice[0].setMuted(until: until, .person(person))
      try await alice[0].setNickname("Bobby", of: person)
      try await alice[1].wait(for: person) { $0.isPinned && $0.mutedUntil == until && $0.name == "Bobby" }
      try await alice[1].setPinned(false, .person(person))
      try await alice[1].setMuted(until: nil, .person(person))
      try await alice[1].setNickname(nil, of: person)
      try await alice[0].wait(for: person) { !$0.isPinned && $0.mutedUntil == nil && $0.name == "Bob" }

      try await alice[1].setName("Alicia")
      try await alice[0].wait { try await $0.name() == "Alicia" }
      // A draft is of this device alone, and goes with the message.
      try await alice[0].setDraft("I am cal", in: .person(person))
      #expect(try await alice[0].conversation(.person(person))?.draft == "I am cal")
      var text = OutgoingText("I am called otherwise now")
      text.endsDraft = true
      try await alice[0].send(text, to: person)
      #expect(try await alice[0].conversation(.person(person))?.draft == nil)
      _ = try await alice[1].message("I am called otherwise now", in: person)
      #expect(try await alice[1].conversation(.person(person))?.draft == nil)
      for device in bob { try await device.wait(for: alice[0].id) { $0.name == "Alicia" } }

      try await alice[1].send("milk, bread", to: alice[0].id)
      let note = try await alice[0].message("milk, bread", in: alice[0].id)
      #expect(note.isOutgoing && note.isRead)
      try await alice[0].setPinned(true, .person(alice[0].id))
      try await alice[1].wait(for: alice[0].id) { $0.isPinned && $0.kind == .noteToSelf }
    }
  }

  @Test func blockedSendersAreIgnoredOnAllDevices() async throws {
    try await withFourDevices { (_, alice, bob) async throws in
      try await alice[0].block(bob[0].id)
      try await alice[1].wait(for: bob[0].id) { $0.isBlocked }
      let ignored = try await bob[1].send("Are you there?", to: alice[0].id)
      try await bob[1].wait { try await $0.message(ignored)?.state == .sent }
      try await alice[1].send("quiet here", to: alice[0].id)
      _ = try await alice[0].message("quiet here", in: alice[0].id)
      for device in alice {
        await device.poll()
        #expect(try await !device.bodies(in: bob[0].id).contains("Are you there?"))
      }
      try await alice[1].unblock(bob[0].id)
      try await alice[0].wait(for: bob[0].id) { !$0.isBlocked }
      try await bob[0].send("And now?", to: alice[0].id)
      for device in alice { _ = try await device.message("And now?", in: bob[0].id) }
    }
  }

  @Test func requestsAreAnsweredOnceForAllDevices() async throws {
    try await withTown { (town) async throws in
      let account = try Account.generate()
      let phone = try await town.device(of: account, name: "Bob")
      let desk = try await town.device(of: account)
      var asking: [Messenger] = []
      for name in ["Carol", "Dave", "Mallory"] {
        let stranger = try await town.device(of: try Account.generate(), name: name)
        try await stranger.send("May I?", to: account.id)
        asking.append(stranger)
      }
      let (carol, dave, mallory) = (asking[0], asking[1], asking[2])
      for device in [phone, desk] {
        try await device.wait {
          Set(try await $0.requests().compactMap(\.id.account)) == Set(asking.map(\.id))
        }
        #expect(try await device.conversations().isEmpty)
      }
      try await phone.acceptRequest(.person(carol.id))
      try await desk.block(mallory.id)
      for device in [phone, desk] {
        try await device.wait { try await $0.requests().compactMap(\.id.account) == [dave.id] }
        try await device.wait { try await $0.conversations().compactMap(\.id.account) == [carol.id] }
        #expect(try await device.contacts().first { $0.id == mallory.id }?.isBlocked == true)
      }
      try await carol.wait(for: account.id) { $0.isAccepted && $0.name == "Bob" }
      #expect(try await carol.notes(.requestAccepted, in: account.id).count == 1)
      // A declined sender is not told, and may write again.
      try await phone.declineRequest(.person(dave.id))
      #expect(try await phone.requests().isEmpty)
      try await dave.send("Please?", to: account.id)
      let again = try await phone.message("Please?", in: dave.id)
      #expect(try await phone.requests().map(\.last?.id) == [again.id])
      #expect(try await dave.conversation(.person(account.id))?.isAccepted == false)
    }
  }
}
