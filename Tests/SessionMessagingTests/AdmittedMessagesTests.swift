import SessionCore
import SessionNetworking
import SessionStorage
import Testing

@testable import SessionMessaging

/// Messages of every kind, from everybody: what the table drops changes nothing, neither here nor in the configs that
/// our devices share, and what it admits changes something.
@Suite(.timeLimit(.minutes(5))) struct AdmittedMessagesTests {
  /// Somebody who writes to Alice, and what their messages are about.
  private struct Sender {
    let account: Account
    /// The conversation on Alice's devices.
    let conversation: SessionID
    /// A message of the sender, and one that Alice wrote to them.
    var own: MessageTime
    var answer: MessageTime
    var emojis = 0
  }

  @Test(arguments: PersonRelation.allCases) func peopleChangeWhatTheTableSays(
    relation: PersonRelation
  ) async throws {
    try await withAliceAndBob { (world, alice, bob) async throws in
      try await alice.setReadReceipts(true)
      try await alice.setTypingIndicators(true)
      var sender = try await sender(relation, alice, bob, world)
      // The text comes last: it makes a stranger somebody who asks us. So does what deletes the target of others.
      let (late, early) = (
        [MessageKind.unsend, .visible], MessageKind.allCases.filter { ![.unsend, .visible].contains($0) }
      )
      for kind in early.filter({ Admission.people.verdict($0, from: relation) == .drop })
        + early.filter({ Admission.people.verdict($0, from: relation) != .drop }) + late
      {
        let verdict = Admission.people.verdict(kind, from: relation)
        world.clock.advance(by: 3_600_000)
        try await world.settle(rounds: 1)
        let before = try await traces(alice, of: sender)
        guard let message = try sealed(kind, from: &sender, to: alice, at: world.clock.now) else {
          // Sealing it breaks a rule of messages, which is checked on opening as well.
          #expect(verdict == .drop, "\(kind) from \(relation) cannot be sent")
          continue
        }
        world.swarms.put(message, to: alice.id)
        await alice.poll()
        let after = try await traces(alice, of: sender)
        // No test here has a group that a blocked person could promote us in.
        let isAdmitted = ![.drop, .acceptIfJoined].contains(verdict)
        #expect(
          (before != after) == isAdmitted,
          "\(kind) from \(relation): \(after.filter { !before.contains($0) })")
      }
    }
  }

  @Test(arguments: RoomRelation.allCases) func visitorsChangeWhatTheTableSays(relation: RoomRelation)
    async throws
  {
    try await withAliceAndBob { (world, alice, bob) async throws in
      let rooms = try HistoryRooms(world.servers)
      try rooms.join(alice.context.database)
      var sender = try await sender(relation == .ourselves ? .ourselves : .approved, alice, bob, world)
      if relation == .blockedVisitor { try await alice.block(bob.id) }
      let author = try BlindedIdentity(
        of: sender.account, on: HistoryRooms.key, scheme: .blinded25)
      let inbox = alice.inbox.makeInbox(ofServer: rooms.lobby.server)
      for (number, kind) in MessageKind.allCases.enumerated() {
        let verdict = Admission.rooms.verdict(kind, from: relation)
        world.clock.advance(by: 3_600_000)
        try await world.settle(rounds: 1)
        let before = try await traces(alice, of: sender)
        guard
          let data = try sealed(kind, from: &sender, to: alice, at: world.clock.now, through: [.community])
        else {
          #expect(verdict == .drop, "\(kind) from \(relation) cannot be sent")
          continue
        }
        let post = ServerPost(
          number: Int64(number + 1), author: author.id, postedAt: try alice.context.time(), data: data)
        try await inbox.keep([post], of: rooms.lobby, upTo: post.number)
        let after = try await traces(alice, of: sender)
        #expect(
          (before != after) == (verdict != .drop),
          "\(kind) from \(relation): \(after.filter { !before.contains($0) })")
      }
    }
  }

  /// Makes somebody with a relation to Alice. All but those who are only approved are in the configs of Alice, so that
  /// there is something to change.
  private func sender(
    _ relation: PersonRelation, _ alice: Messenger, _ bob: Messenger, _ world: World
  ) async throws -> Sender {
    func message(_ body: String) async throws -> MessageTime {
      let view = try #require(
        try await alice.messages(in: .person(bob.id)).first { $0.body == body })
      return try MessageTime(milliseconds: UInt64(view.sentAt))
    }
    let (own, answer) = (try await message("Hello Alice"), try await message("Hello Bob"))
    let friend = Sender(account: bob.context.account, conversation: bob.id, own: own, answer: answer)
    switch relation {
    case .approved: return friend
    case .ourselves:
      return Sender(account: alice.context.account, conversation: bob.id, own: answer, answer: own)
    case .blocked:
      try await alice.block(bob.id)
      return friend
    case .stranger, .asksUs:
      let account = try Account.generate()
      try await alice.author.edit { configs, _ in
        try configs.contacts.update(account.id) { $0.name = "Mallory" }
      } writing: { _, _, _ in
      }
      let now = try MessageTime(milliseconds: UInt64(world.clock.now))
      if relation == .asksUs {
        let request = try Message(.visible(VisibleMessage(body: "May I?")), sentAt: now)
        world.swarms.put(try account.encode(request, for: .contact(alice.id)), to: alice.id)
        try await world.settle()
        #expect(try await alice.requests().map(\.id) == [.person(account.id)])
      }
      return Sender(account: account, conversation: account.id, own: now, answer: now)
    }
  }

  /// Seals a message of a kind; nil if such a message may not be sent there. `destinations` are those of people, if
  /// nil.
  private func sealed(
    _ kind: MessageKind, from sender: inout Sender, to alice: Messenger, at time: Int64,
    through destinations: [MessageDestination]? = nil
  ) throws -> [UInt8]? {
    let sentAt = try MessageTime(milliseconds: UInt64(time))
    let target = destinations == nil && sender.account.id == alice.id ? sender.conversation : nil
    let profile = try MessageProfile(name: "as \(kind)", updatedAtSeconds: sentAt.seconds)
    sender.emojis += 1
    let content: MessageContent
    switch kind {
    case .visible: content = .visible(try VisibleMessage(body: "text", profile: profile, syncTarget: target))
    case .reaction:
      content = .reaction(
        try MessageReaction(
          .react, emoji: "👍", targetSentAt: sender.own, targetAuthor: sender.account.id, profile: profile,
          syncTarget: target))
    case .timerUpdate: content = .timerUpdate(ExpirationTimerUpdate(profile: profile, syncTarget: target))
    case .readReceipt: content = .readReceipt(try ReadReceipt(of: [sender.answer]))
    case .typing: content = .typing(TypingIndicator(.started, sentAt: sentAt))
    case .unsend:
      content = .unsend(UnsendRequest(targetSentAt: sender.own, targetAuthor: sender.account.id))
    case .dataExtraction: content = .dataExtraction(DataExtraction(of: sender.answer))
    case .messageRequestResponse: content = .messageRequestResponse(MessageRequestResponse(profile: profile))
    case .callPreOffer: content = .call(try CallMessage(.preOffer, of: "call"))
    case .callOffer: content = .call(try CallMessage(.offer("sdp"), of: "call"))
    case .callAnswer: content = .call(try CallMessage(.answer("sdp"), of: "call"))
    case .callProvisionalAnswer: content = .call(try CallMessage(.provisionalAnswer, of: "call"))
    case .callCandidates:
      content = .call(
        try CallMessage(.candidates([.init("candidate", lineIndex: 0, mediaID: "0")]), of: "call"))
    case .callEnd: content = .call(try CallMessage(.end, of: "call"))
    case .groupInvite:
      let group = try WorldGroup()
      content = .groupUpdate(
        try GroupUpdateMessage(
          signing: .invite(
            GroupInvite(to: group.id, name: "Trip", authData: try group.key.grantAccess(to: alice.id))),
          with: group.key, sentAt: sentAt, invitee: alice.id, profile: profile))
    case .groupPromotion:
      content = .groupUpdate(
        try GroupUpdateMessage(
          .promotion(GroupPromotion(with: try WorldGroup().key, name: "Trip")), profile: profile))
    case .groupInfoChange: content = try signed(.infoChange(.picture), at: sentAt)
    case .groupMemberChange:
      content = try signed(.memberChange(GroupMemberChange(.added, members: [alice.id])), at: sentAt)
    case .groupMemberLeft: content = .groupUpdate(try GroupUpdateMessage(.memberLeft))
    case .groupMemberLeftNotification: content = .groupUpdate(try GroupUpdateMessage(.memberLeftNotification))
    case .groupInviteResponse:
      content = .groupUpdate(try GroupUpdateMessage(.inviteResponse, profile: profile))
    case .groupContentDeletion:
      content = try signed(.contentDeletion(GroupContentDeletion(ofMembers: [alice.id])), at: sentAt)
    case .legacyConfig:
      content = .legacyConfig(LegacyConfigMessage(.contacts, sequence: 1, data: [1, 2, 3]))
    }
    let timer = kind == .timerUpdate ? try DisappearingTimer(.afterSend, seconds: 3600) : nil
    let message = try Message(content, sentAt: sentAt, disappearing: timer)
    for destination in destinations
      ?? (target == nil ? [.contact(alice.id)] : [.ownDevices, .contact(alice.id)])
    {
      if let bytes = try? sender.account.encode(message, for: destination) { return bytes }
    }
    return nil
  }

  private func signed(_ update: GroupUpdate, at time: MessageTime) throws -> MessageContent {
    .groupUpdate(try GroupUpdateMessage(signing: update, with: try WorldGroup().key, sentAt: time))
  }

  /// Everything that a message may change, but for the hashes of what came.
  private func traces(_ messenger: Messenger, of sender: Sender) async throws -> [String] {
    let rows: [String] = try await messenger.context.database.read { transaction in
      try transaction.values(
        """
        SELECT 'event ' || id || ' ' || kind FROM event \
        UNION ALL SELECT 'message ' || id || ' ' || kind || ' ' || state FROM interaction \
        UNION ALL SELECT 'reaction ' || id || ' ' || author FROM reaction \
        UNION ALL SELECT 'contact ' || id || isApproved || isBlocked || didApproveMe FROM contact \
        UNION ALL SELECT 'profile ' || id || name || updatedAt FROM profile \
        UNION ALL SELECT 'group ' || address FROM thread \
        UNION ALL SELECT 'config ' || kind || ' ' || hex(content) FROM configDump
        """)
    }
    let isTyping = try await messenger.conversation(.person(sender.conversation))?.isTyping ?? false
    return rows + (isTyping ? ["typing"] : [])
  }
}
