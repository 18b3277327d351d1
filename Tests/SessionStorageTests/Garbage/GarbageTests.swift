import Testing

@testable import SessionStorage

/// Each kind of garbage beside what looks like it and is none.
@Suite struct GarbageTests {
  private let database: Database
  private let bob: ThreadRecord.ID
  private let rules = GarbageRules(at: Self.now, own: ExampleAccount.me, keptServer: "https://official")

  private static let now: Int64 = 2_000_000_000_000
  private static let day = GarbageRules.day

  init() throws {
    database = try ExampleAccount.inMemory()
    bob = try database.write { transaction in
      try transaction.put(ContactRecord(ExampleAccount.bob, createdAt: 1))
      return try transaction.obtainThread(at: ExampleAccount.bob, .contact, createdAt: 1).id
    }
  }

  /// Collects, and expects that nothing goes but so much of one kind.
  private func collect(
    _ kind: Garbage, _ count: Int, sourceLocation: SourceLocation = #_sourceLocation
  ) throws {
    let counts = try database.write { transaction in try transaction.collectGarbage(rules) }
    for other in Garbage.allCases {
      #expect(
        counts[other] == (other == kind ? count : 0), "\(other.rawValue)", sourceLocation: sourceLocation)
    }
    let again = try database.write { transaction in try transaction.collectGarbage(rules) }
    #expect(again.values.allSatisfy { $0 == 0 }, sourceLocation: sourceLocation)
  }

  private func write(_ body: (borrowing WriteTransaction) throws -> Void) throws {
    try database.write(.durable, body)
  }

  @Test func tagsOfConversationsThatAreGoneStayForAMonth() throws {
    let lena = "05" + String(repeating: "e", count: 64)
    try write { transaction in
      let tag = try transaction.insert(TagRecord("Work", searchName: "work", position: 0))
      for address in [ExampleAccount.bob, lena] { try transaction.add(tag.id, to: address) }
    }
    try collect(.threadTags, 0)
    var later = rules
    later.now += TagRecord.keptFor
    #expect(try database.write { try $0.collectGarbage(later)[.threadTags] } == 0)
    later.now += 1
    #expect(try database.write { try $0.collectGarbage(later)[.threadTags] } == 1)
    #expect(try database.read { try $0.tags(of: ExampleAccount.bob).count } == 1)
    #expect(try database.read { try $0.tags(of: lena).count } == 0)
  }

  @Test func aConversationThatComesBackHasItsTags() throws {
    try write { transaction in
      let tag = try transaction.insert(TagRecord("Work", searchName: "work", position: 0))
      try transaction.add(tag.id, to: ExampleAccount.bob)
      try transaction.deleteThread(bob)
    }
    try collect(.threadTags, 0)
    try write { transaction in
      _ = try transaction.obtainThread(at: ExampleAccount.bob, .contact, createdAt: 1)
    }
    var later = rules
    for days in [29, 31, 62] {
      later.now = rules.now + Int64(days) * Self.day
      #expect(try database.write { try $0.collectGarbage(later)[.threadTags] } == 0)
    }
    #expect(try database.read { try $0.tags(of: ExampleAccount.bob).count } == 1)
  }

  private func later(_ state: ScheduledRecord.State, settledAt: Int64?) -> ScheduledRecord {
    var later = ScheduledRecord(
      to: ExampleAccount.bob, body: "b", at: 1, zone: "UTC", late: 0, createdAt: 1)
    (later.state, later.settledAt) = (state, settledAt)
    return later
  }

  @Test func settledMessagesToSendLaterGoAfterAMonth() throws {
    try write { transaction in
      for age in [ScheduledRecord.keptFor, ScheduledRecord.keptFor + 1] {
        for state in [ScheduledRecord.State.sent, .missed, .failed] {
          try transaction.insert(later(state, settledAt: Self.now - age))
        }
        try transaction.insert(later(.waiting, settledAt: nil))
      }
    }
    try collect(.scheduled, 3)
    #expect(
      try database.read { try $0.allScheduled().map(\.state) } == [
        .sent, .missed, .failed, .waiting, .waiting,
      ])
  }

  /// The device was off for a year, or the message comes from an archive or an old schema: the month begins now.
  @Test func messagesThatWereSettledAtAnUnknownTimeStayForAMonth() throws {
    try write { transaction in
      for state in ScheduledRecord.State.allCases { try transaction.insert(later(state, settledAt: nil)) }
    }
    try collect(.scheduled, 0)
    var month = rules
    month.now += ScheduledRecord.keptFor
    #expect(try database.write { try $0.collectGarbage(month)[.scheduled] } == 0)
    month.now += 1
    #expect(try database.write { try $0.collectGarbage(month)[.scheduled] } == 3)
    #expect(try database.read { try $0.allScheduled().map(\.settledAt) } == [nil])
  }

  @Test func nothingGoesFromAnAccountInUse() throws {
    try write { transaction in
      _ = try transaction.insert(ExampleAccount.message("hello", in: bob, at: Self.now))
    }
    try collect(.events, 0)
  }

  @Test func oldMessagesOfLargeCommunitiesGoIfThatIsWanted() throws {
    try write { transaction in
      try transaction.put(CommunityServerRecord(ExampleAccount.server, publicKey: [1]))
      for (room, count) in [("large", 3), ("small", 2)] {
        let thread = try transaction.obtainThread(
          at: "\(ExampleAccount.server)/\(room)", .community, createdAt: 1)
        try transaction.put(
          CommunityRecord(thread.id, server: ExampleAccount.server, room: room, name: room))
        for number in 0..<count {
          let time = Self.now - GarbageRules.usualCommunityMessageAge + (number == 0 ? -1 : 0)
          try transaction.insert(ExampleAccount.message("m", in: thread.id, at: time + Int64(number)))
        }
      }
    }
    try collect(.communityMessages, 0)
    var rules = rules
    rules.communityMessageAge = GarbageRules.usualCommunityMessageAge
    rules.communitySize = 3
    let counts = try database.write { transaction in try transaction.collectGarbage(rules) }
    #expect(counts[.communityMessages] == 1)
    #expect(try database.value("SELECT count(*) FROM interaction") == 4)
  }

  @Test func messagesThatWereNeverReadAndShouldDisappearGo() throws {
    try write { transaction in
      for (number, age) in [rules.unreadAge + 1, rules.unreadAge].enumerated() {
        for mode in [ExpiryTimer.off, ExpiryTimer(.afterRead, seconds: 60)] {
          for isRead in [true, false] {
            var message = ExampleAccount.message(
              "m", in: bob, at: Self.now - age, by: "\(number)\(mode.seconds)\(isRead)")
            message.expiry = mode
            message.wasRead = isRead
            try transaction.insert(message)
          }
        }
      }
    }
    try collect(.unreadMessages, 1)
  }

  @Test func orphanConversationsAreDeleted() throws {
    try write { transaction in
      _ = try transaction.obtainThread(at: "gone", .contact, createdAt: 1, isVisible: false)
      _ = try transaction.obtainThread(at: "seen", .contact, createdAt: 1)
      _ = try transaction.obtainThread(at: ExampleAccount.me, .contact, createdAt: 1, isVisible: false)
    }
    try collect(.threads, 1)
    #expect(try database.read { transaction in try transaction.thread(at: "gone") } == nil)
  }

  @Test func previewsAndAttachmentsOfNothingGo() throws {
    try write { transaction in
      let old = AttachmentRecord(
        .file, .downloaded, contentType: "a/b", byteCount: 1, createdAt: Self.now - Self.day - 1)
      let young = AttachmentRecord(
        .file, .downloaded, contentType: "a/b", byteCount: 1, createdAt: Self.now - Self.day)
      for attachment in [old, young] { try transaction.insert(attachment) }
    }
    try collect(.attachments, 1)
    try write { transaction in
      let used = try transaction.obtainLinkPreview(of: "http://used", at: 1, .page, title: nil)
      _ = try transaction.obtainLinkPreview(of: "http://unused", at: 1, .page, title: nil)
      var message = ExampleAccount.message("http://used", in: bob, at: Self.now)
      message.linkPreviewID = used
      try transaction.insert(message)
    }
    try collect(.linkPreviews, 1)
  }

  @Test func serversWithoutRoomsGoWithWhatTheyCan() throws {
    try write { transaction in
      for url in ["https://official", "https://left", ExampleAccount.server] {
        try transaction.put(CommunityServerRecord(url, publicKey: [1]))
        try transaction.setCapabilities([CapabilityRecord("sogs")], of: url)
      }
      let thread = try transaction.obtainThread(at: ExampleAccount.room, .community, createdAt: 1)
      try transaction.put(
        CommunityRecord(thread.id, server: ExampleAccount.server, room: "room", name: "Room"))
    }
    try collect(.communityServers, 1)
    #expect(try database.value("SELECT count(*) FROM capability") == 2)
  }

  @Test func idsOfPeopleInCommunitiesGoWithThem() throws {
    func known(_ id: String, as sessionID: String?) -> BlindedIDRecord {
      BlindedIDRecord(id, sessionID: sessionID, server: ExampleAccount.server, serverKey: [1])
    }
    try write { transaction in
      try transaction.put(known("15a", as: ExampleAccount.bob))
      try transaction.put(known("15b", as: nil))
      try transaction.put(known("15c", as: "05stranger"))
      try transaction.put(known("15d", as: nil))
      _ = try transaction.obtainThread(at: "15d", .contact, createdAt: 1)
    }
    try collect(.blindedIDs, 2)
    try write { transaction in
      try transaction.put(ContactRecord("15a", createdAt: 1))
      // Their account can be computed, but has not answered.
      try transaction.put(ContactRecord("15e", createdAt: 1))
      try transaction.put(known("15e", as: "05silent"))
      _ = try transaction.obtainThread(at: "15e", .contact, createdAt: 1)
    }
    try collect(.blindedContacts, 1)
    #expect(
      try database.read { transaction in try transaction.contacts().map(\.id) } == [
        ExampleAccount.bob, "15e",
      ])
  }

  @Test func unreferencedProfilesAreDeleted() throws {
    try write { transaction in
      let message = try transaction.insert(ExampleAccount.message("m", in: bob, at: Self.now, by: "author"))
      try transaction.insert(QuoteRecord(of: message.id, author: "quoted", sentAt: 1))
      try transaction.put(ReactionRecord(to: message.id, by: "reacted", emoji: "👍", sentAt: 1))
      let group = try transaction.obtainThread(at: ExampleAccount.groupID, .group, createdAt: 1)
      try transaction.put(GroupRecord(group.id, name: "g", formedAt: 1))
      try transaction.put(GroupMemberRecord(of: group.id, "member", status: 5))
      let blinded = BlindedIDRecord(
        "15a", sessionID: ExampleAccount.bob, server: ExampleAccount.server, serverKey: [1])
      try transaction.put(blinded)
      for id in [
        "author", "quoted", "reacted", "member", "15a", ExampleAccount.bob, ExampleAccount.me, "nobody",
      ] {
        try transaction.put(ProfileRecord(id, name: id, updatedAt: 1))
      }
    }
    try collect(.profiles, 1)
    #expect(try database.read { transaction in try transaction.profile("nobody") } == nil)
  }

  @Test func expiredRowsAreDeleted() throws {
    try write { transaction in
      for (number, time) in [Self.now - 1, Self.now + 1].enumerated() {
        try transaction.put(PendingReadReceipt(in: bob, sentAt: Int64(number), readAt: 1, expiresAt: time))
      }
    }
    try collect(.readReceipts, 1)
    try write { transaction in
      for time in [Self.now - 1, Self.now + 1] {
        try transaction.insert(
          ReceivedHash(
            "hash\(time)", from: "node", of: "swarm", namespace: 0, expiresAt: time, storedAt: 0,
            receivedAt: 0))
      }
    }
    try collect(.receivedHashes, 1)
    try write { transaction in
      for (name, time) in [("old", Self.now - 1), ("young", Self.now), ("kept", nil)] as [(String, Int64?)] {
        try transaction.insert(
          SeenMessage(name, in: ExampleAccount.bob, expiresAt: time, diesWithThread: false))
      }
    }
    try collect(.seenMessages, 1)
    try write { transaction in
      try transaction.setProRevocations([
        ProRevocation([1], effectiveAt: 1, keptUntil: Self.now - 1),
        ProRevocation([2], effectiveAt: 1, keptUntil: Self.now),
      ])
    }
    try collect(.proRevocations, 1)
    try write { transaction in
      for age in [rules.notificationAge + 1, rules.notificationAge] {
        try transaction.insertNotification(.failure, createdAt: Self.now - age)
      }
    }
    try collect(.notifications, 1)
  }

  @Test func oldTombstonesAreDeleted() throws {
    try write { transaction in
      for age in [TombstoneRecord.lifetime + 1, TombstoneRecord.lifetime] {
        try transaction.put(TombstoneRecord("age \(age)", at: Self.now - age))
      }
    }
    try collect(.tombstones, 1)
    #expect(try database.value("SELECT at FROM tombstone") == Self.now - TombstoneRecord.lifetime)
  }

  @Test func stepsForSwarmsOfGoneGroupsAreDeleted() throws {
    try write { transaction in
      let group = try transaction.obtainThread(at: ExampleAccount.groupID, .group, createdAt: 1)
      try transaction.put(GroupRecord(group.id, name: "g", formedAt: 1))
      for owner in [ExampleAccount.groupID, ExampleAccount.me, "03gone"] {
        try transaction.insertSwarmSteps([.init(.revoke, payload: [1])], of: owner, at: 1)
      }
    }
    try collect(.swarmSteps, 1)
    #expect(try database.read { transaction in try transaction.swarmSteps(of: "03gone") } == [])
  }

  @Test func eventsThatEveryReaderHasAcknowledgedGo() throws {
    try write { transaction in
      for number in 0..<10 { try transaction.appendEvent("e\(number)", at: 1) }
      try transaction.acknowledge(.init(rawValue: 7), by: "fast", at: 1)
      try transaction.acknowledge(.init(rawValue: 4), by: "slow", at: 1)
    }
    // So few are kept, however old they are.
    try collect(.events, 0)
    var rules = rules
    rules.events = EventRetention(limit: 5)
    let counts = try database.write { transaction in try transaction.collectGarbage(rules) }
    #expect(counts[.events] == 5)
  }

  @Test func deletionsAreObserved() throws {
    let observation = database.observations.observe(.threads, .people)
    try write { transaction in
      _ = try transaction.obtainThread(at: "gone", .contact, createdAt: 1, isVisible: false)
    }
    _ = observation.fetch()
    _ = try database.write { transaction in try transaction.collectGarbage(rules) }
    let changes = try #require(observation.fetch())
    #expect(changes.concerns(.threads) && !changes.concerns(.people))
  }
}
