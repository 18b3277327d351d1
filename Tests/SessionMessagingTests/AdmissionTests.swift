import SessionCore
import Testing

@testable import SessionMessaging

/// The tables of what is let in, as people read them.
@Suite struct AdmissionTests {
  private func rows<Relation>(_ admission: Admission<Relation>) -> String {
    MessageKind.allCases.map { kind in
      let verdicts = Relation.allCases.map { admission.verdict(kind, from: $0).letter }
      return "\(kind.rawValue) \(verdicts.joined(separator: " "))"
    }.joined(separator: "\n")
  }

  @Test func peopleAreLetInAsTheTableSays() {
    // Columns: ourselves, approved, asks us, stranger, blocked.
    #expect(
      rows(Admission.people) == """
        visible A A R R -
        reaction N N N - -
        timerUpdate N N - - -
        readReceipt - S - - -
        typing - S - - -
        unsend N N N - -
        dataExtraction - N - - -
        messageRequestResponse - A - - -
        callPreOffer - N - - -
        callOffer - - - - -
        callAnswer - - - - -
        callProvisionalAnswer - - - - -
        callCandidates - - - - -
        callEnd - - - - -
        groupInvite - A G G -
        groupPromotion - A G G J
        groupInfoChange - - - - -
        groupMemberChange - - - - -
        groupMemberLeft - - - - -
        groupMemberLeftNotification - - - - -
        groupInviteResponse - - - - -
        groupContentDeletion - - - - -
        legacyConfig - - - - -
        """)
  }

  @Test func groupsAreLetInAsTheTableSays() {
    // Columns: member, blocked member, ourselves, not joined.
    #expect(
      rows(Admission.groups) == """
        visible A - A -
        reaction N - N -
        timerUpdate - - - -
        readReceipt - - - -
        typing - - - -
        unsend - - - -
        dataExtraction - - - -
        messageRequestResponse - - - -
        callPreOffer - - - -
        callOffer - - - -
        callAnswer - - - -
        callProvisionalAnswer - - - -
        callCandidates - - - -
        callEnd - - - -
        groupInvite - - - -
        groupPromotion - - - -
        groupInfoChange F F A -
        groupMemberChange F F A -
        groupMemberLeft U U - -
        groupMemberLeftNotification A A A -
        groupInviteResponse U U - -
        groupContentDeletion A A A -
        legacyConfig - - - -
        """)
  }

  @Test func roomsAreLetInAsTheTableSays() {
    // Columns: visitor, blocked visitor, ourselves.
    #expect(
      rows(Admission.rooms) == """
        visible A - A
        reaction - - -
        timerUpdate - - -
        readReceipt - - -
        typing - - -
        unsend - - -
        dataExtraction - - -
        messageRequestResponse - - -
        callPreOffer - - -
        callOffer - - -
        callAnswer - - -
        callProvisionalAnswer - - -
        callCandidates - - -
        callEnd - - -
        groupInvite - - -
        groupPromotion - - -
        groupInfoChange - - -
        groupMemberChange - - -
        groupMemberLeft - - -
        groupMemberLeftNotification - - -
        groupInviteResponse - - -
        groupContentDeletion - - -
        legacyConfig - - -
        """)
  }

  @Test func onlyVisibleMessagesAreLetIntoAnInbox() {
    // Columns: ourselves, approved, asks us, stranger, blocked.
    #expect(
      rows(Admission.inbox) == """
        visible A A R R -
        reaction - - - - -
        timerUpdate - - - - -
        readReceipt - - - - -
        typing - - - - -
        unsend - - - - -
        dataExtraction - - - - -
        messageRequestResponse - - - - -
        callPreOffer - - - - -
        callOffer - - - - -
        callAnswer - - - - -
        callProvisionalAnswer - - - - -
        callCandidates - - - - -
        callEnd - - - - -
        groupInvite - - - - -
        groupPromotion - - - - -
        groupInfoChange - - - - -
        groupMemberChange - - - - -
        groupMemberLeft - - - - -
        groupMemberLeftNotification - - - - -
        groupInviteResponse - - - - -
        groupContentDeletion - - - - -
        legacyConfig - - - - -
        """)
  }

  @Test func everyKindHasARow() {
    for kind in MessageKind.allCases {
      #expect(Admission.rooms.hasRow(for: kind), "\(kind) has no row in the table of rooms")
      #expect(Admission.inbox.hasRow(for: kind), "\(kind) has no row in the table of inboxes")
      #expect(Admission.people.hasRow(for: kind), "\(kind) has no row in the table of people")
      #expect(Admission.groups.hasRow(for: kind), "\(kind) has no row in the table of groups")
    }
  }
}

extension AdmissionVerdict {
  fileprivate var letter: String {
    switch self {
    case .accept: "A"
    case .acceptIfHere: "N"
    case .acceptIfEnabled: "S"
    case .acceptIfJoined: "J"
    case .acceptFromAdmin: "F"
    case .acceptAsAdmin: "U"
    case .holdAsRequest: "R"
    case .holdAsGroupRequest: "G"
    case .drop: "-"
    }
  }
}
