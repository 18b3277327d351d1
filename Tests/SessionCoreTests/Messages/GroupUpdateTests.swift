import Testing

@testable import SessionCore

@Suite struct GroupUpdateTests {
  private let key: GroupAdminKey
  private let reader: Account
  private let sender: SessionID
  private let sentAt: MessageTime

  init() throws {
    key = try MessageExample.adminKey()
    reader = try Example.second()
    sender = try Example.first().id
    sentAt = try MessageExample.time(1_700_000_000_123)
  }

  private func verify(
    _ update: GroupUpdateMessage, for reader: Account? = nil, in place: MessagePlace? = nil,
    sentAt: MessageTime? = nil
  ) throws -> VerifiedGroupUpdate {
    try update.verify(
      for: reader ?? self.reader, from: sender, in: place ?? .group(key.group),
      sentAt: sentAt ?? self.sentAt)
  }

  private func invite() throws -> GroupUpdate {
    .invite(
      try GroupInvite(
        to: key.group, name: "Friends", authData: key.grantAccess(to: reader.id)))
  }

  private func expectBadSignature(_ body: () throws -> VerifiedGroupUpdate) {
    #expect { try body() } throws: { $0.breaks(.groupSignature) }
  }

  @Test func theKeyOfAGroupIsThatOfTheSpecification() {
    #expect(key.group.description == "03ea4a6c63e29c520abef5507b132ec5f9954776aebebe7b92421eea691446d22c")
  }

  @Test func anInvitationIsForOneAccountAtOneTime() throws {
    let update = try GroupUpdateMessage(signing: invite(), with: key, sentAt: sentAt, invitee: reader.id)
    let verified = try verify(update, in: .contact)
    #expect(verified.update == (try invite()))
    #expect(verified.group == key.group)
    #expect(verified.authority == .admin)
    expectBadSignature { try verify(update, for: Example.first(), in: .contact) }
    expectBadSignature { try verify(update, in: .contact, sentAt: MessageExample.time()) }
  }

  @Test func theAccessInAnInvitationIsItsReadersAndTheGroups() throws {
    for access in [
      try key.grantAccess(to: sender), try MessageExample.adminKey(8).grantAccess(to: reader.id),
      try SecretBytes.random(count: 100),
    ] {
      let invite = try GroupInvite(to: key.group, name: "Friends", authData: access)
      let update = try GroupUpdateMessage(
        signing: .invite(invite), with: key, sentAt: sentAt, invitee: reader.id)
      #expect { try verify(update, in: .contact) } throws: { $0.breaks(.groupAccess) }
    }
  }

  @Test func anInvitationByAnotherGroupIsRefused() throws {
    #expect {
      try GroupUpdateMessage(
        signing: invite(), with: MessageExample.adminKey(8), sentAt: sentAt, invitee: reader.id)
    } throws: {
      $0.breaks(.groupID)
    }
  }

  @Test func aPromotionProvesItself() throws {
    let update = try GroupUpdateMessage(.promotion(GroupPromotion(with: key, name: "Friends")))
    #expect(try verify(update, in: .contact).group == key.group)
  }

  @Test func changesAreSignedByTheGroupForOneMessage() throws {
    let changes: [GroupUpdate] = [
      .infoChange(.name("x")), .memberChange(try GroupMemberChange(.removed, members: [sender])),
      .contentDeletion(try GroupContentDeletion(ofMembers: [reader.id], messageHashes: ["hash"])),
    ]
    for change in changes {
      let update = try GroupUpdateMessage(signing: change, with: key, sentAt: sentAt)
      #expect(try verify(update) == verify(update))
      #expect(try verify(update).authority == .admin)
      expectBadSignature { try verify(update, sentAt: MessageExample.time()) }
      expectBadSignature { try verify(update, in: .group(MessageExample.adminKey(8).group)) }
    }
  }

  @Test func oneChangeIsNotAnother() throws {
    let signed = try GroupUpdateMessage(signing: .infoChange(.picture), with: key, sentAt: sentAt)
    let forged = try Message(
      parsing: Wire.group(
        2, Wire.varint(1, 1), Wire.text(2, "x"), Wire.bytes(4, #require(signed.adminSignature))))
    guard case .groupUpdate(let update) = forged.content else {
      Issue.record("it is no group update")
      return
    }
    expectBadSignature { try verify(update) }
  }

  @Test func membersDeleteOnlyTheirOwnMessages() throws {
    func verified(_ deletion: GroupContentDeletion) throws -> VerifiedGroupUpdate {
      try verify(GroupUpdateMessage(.contentDeletion(deletion)))
    }
    let both = try verified(GroupContentDeletion(ofMembers: [reader.id, sender], messageHashes: ["hash"]))
    #expect(both.authority == .member(sender))
    #expect(
      both.update == .contentDeletion(try GroupContentDeletion(ofMembers: [sender], messageHashes: ["hash"])))
    #expect { try verified(GroupContentDeletion(ofMembers: [reader.id])) } throws: {
      $0.breaks(.deletionOthers)
    }
  }

  /// The lists are signed without anything between them, so somebody could move the boundary.
  @Test func aSignedDeletionReadsOneWayOnly() throws {
    let signed = try GroupUpdateMessage(
      signing: .contentDeletion(GroupContentDeletion(ofMembers: [sender, reader.id])), with: key,
      sentAt: sentAt)
    let signature = try #require(signed.adminSignature)
    let moved = Wire.group(
      7, Wire.text(1, Example.firstID), Wire.text(2, Example.secondID), Wire.bytes(3, signature))
    #expect { try Message(parsing: moved) } throws: { $0.breaks(.deletionAmbiguous) }
    let split = Wire.group(
      7, Wire.text(1, Example.firstID), Wire.text(2, String(Example.secondID.prefix(20))),
      Wire.text(2, String(Example.secondID.dropFirst(20))), Wire.bytes(3, signature))
    #expect { try Message(parsing: split) } throws: { $0.breaks(.deletionAmbiguous) }
  }

  @Test func aReceivedUpdateIsBelievedWithItsMessage() throws {
    let storageKey = try SecretBytes.random(count: 32)
    let update = try GroupUpdateMessage(signing: .infoChange(.picture), with: key, sentAt: sentAt)
    let stored = try Example.first().encode(
      Message(.groupUpdate(update), sentAt: sentAt), for: .group(key.group, key: storageKey))
    let received = try Example.second().decode(stored, from: .group(key.group, keys: [storageKey]))
    #expect(try received.verifiedGroupUpdate(for: reader)?.update == .infoChange(.picture))
  }

  @Test func aTextClaimsNothing() throws {
    let stored = try Example.first().encode(
      MessageExample.message(MessageExample.text()), for: .contact(Example.second().id))
    let received = try Example.second().decode(stored, from: .ownSwarm)
    #expect(try received.verifiedGroupUpdate(for: reader) == nil)
  }

  @Test func theSecretOfAGroupIsNotPrinted() throws {
    let promotion = try GroupPromotion(with: key, name: "Friends")
    #expect(!"\(promotion)".contains("0707"))
    var dumped = ""
    dump(promotion, to: &dumped)
    #expect(!dumped.contains("0707") && dumped.contains(key.group.description))
  }
}
