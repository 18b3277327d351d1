import SessionCore
import SessionStorage
import Testing

@testable import SessionMessaging

/// The properties of destinations.
@Suite struct DestinationTests {
  private let own: SessionID
  private let bob: SessionID
  private let group: SessionID

  init() throws {
    own = try Account.generate().id
    bob = try Account.generate().id
    group = try SessionID(.group, key: bob.key)
  }

  private func destinations() throws -> (Destination, Destination, Destination) {
    (
      try Destination(.person(bob), own: own), try Destination(.person(own), own: own),
      try Destination(.group(group), own: own)
    )
  }

  @Test func eachDestinationHasItsOwnSwarm() throws {
    let (person, ownDevices, group) = try destinations()
    #expect([person, ownDevices, group].map(\.place) == [.person(bob), .ownDevices, .group(self.group)])
    #expect([person, ownDevices, group].map(\.swarm) == [bob, own, self.group])
    #expect([person, ownDevices, group].map(\.isPolled) == [false, true, true])
  }

  @Test func onlyGroupMessagesAreSealedAtDelivery() throws {
    let (person, ownDevices, group) = try destinations()
    #expect([person, ownDevices, group].map(\.sealing) == [.atCommit, .atCommit, .atDelivery])
  }

  @Test func onlyMessagesToPeopleHaveCopies() throws {
    let (person, ownDevices, group) = try destinations()
    #expect([person, ownDevices, group].map(\.hasCopy) == [true, false, false])
    #expect([person, ownDevices, group].map(\.showsProfile) == [true, false, true])
  }

  @Test func thePartitionIsTheConversationID() throws {
    let (person, ownDevices, group) = try destinations()
    #expect(person.conversation == .person(bob) && group.conversation == .group(self.group))
    #expect(
      [person, ownDevices, group].map(\.partition) == [bob, own, self.group].map(\.description))
  }

  @Test(arguments: [
    (MessageKind.visible, [true, true, true]), (.reaction, [true, true, true]),
    (.timerUpdate, [true, true, false]), (.unsend, [true, true, false]),
    (.readReceipt, [true, false, false]), (.typing, [true, false, false]),
    (.dataExtraction, [true, false, false]), (.messageRequestResponse, [true, false, false]),
    (.groupInvite, [true, false, false]), (.groupInfoChange, [false, false, true]),
    (.groupMemberLeft, [false, false, true]), (.groupContentDeletion, [false, false, true]),
    (.legacyConfig, [false, false, false]),
  ])
  func eachPlaceAcceptsItsKinds(kind: MessageKind, accepted: [Bool]) throws {
    let (person, ownDevices, group) = try destinations()
    #expect([person, ownDevices, group].map { $0.accepts(kind) } == accepted)
  }

  @Test func onlyTimersBetweenTwoPeopleStartOnReading() throws {
    let (person, ownDevices, group) = try destinations()
    let hour = ExpiryTimer(.afterRead, seconds: 3600)
    let timers = [person, ownDevices, group].map { $0.timer(of: hour) }
    #expect(timers.map { $0?.mode } == [.afterRead, .afterSend, .afterSend])
    #expect(timers.allSatisfy { $0?.seconds == 3600 })
    #expect(group.timer(of: .off) == nil)
  }

  @Test func sendTimersLimitTheLifetimeInSwarms() throws {
    let (person, ownDevices, group) = try destinations()
    let hour = try DisappearingTimer(.afterRead, seconds: 3600)
    let lifetimes = [person, ownDevices, group].map { $0.lifetime(of: .visible, with: hour) }
    #expect(lifetimes == [.seconds(14 * 86_400), .seconds(3600), .seconds(3600)])
    #expect(group.lifetime(of: .visible, with: nil) == .seconds(14 * 86_400))
  }

  @Test func roomsTakeVisibleMessagesWithoutTimers() throws {
    let id = try #require(Conversation.ID("https://chat.example.org/lobby"))
    let room = try Destination(id, own: own)
    #expect(room.conversation == id && room.sealing == .atDelivery)
    #expect(!room.hasCopy && room.showsProfile && room.partition == id.description)
    #expect(MessageKind.allCases.filter { room.accepts($0) } == [.visible])
    #expect(room.timer(of: ExpiryTimer(.afterSend, seconds: 60)) == nil)
  }

  @Test(arguments: [SessionID.Kind.blinded15, .blinded25])
  func peopleInCommunitiesTakeVisibleMessagesWithoutTimers(kind: SessionID.Kind) throws {
    let id = try SessionID(kind, key: bob.key)
    let person = try Destination(.person(id), own: own)
    #expect(person.conversation == .person(id) && person.sealing == .atDelivery)
    #expect(
      !person.hasCopy && person.showsProfile && !person.takesFiles && person.partition == id.description)
    #expect(MessageKind.allCases.filter { person.accepts($0) } == [.visible])
    #expect(person.timer(of: ExpiryTimer(.afterSend, seconds: 60)) == nil)
  }

  @Test func idsOfTheWrongKindAreRejected() throws {
    for conversation in [Conversation.ID.person(group), .group(bob)] {
      #expect { try Destination(conversation, own: own) } throws: {
        MessengerError.Code.invalidRecipient ~= $0
      }
    }
  }
}
