import SessionCore
import Testing

@testable import SessionCLI
@testable import SessionMessaging

/// The findings of `doctor` about the groups of an account.
@Suite struct GroupFindingTests {
  @Test func theDoctorNamesGroupsThatCannotBeRead() throws {
    let id = try Conversation.ID(parsing: "03" + String(repeating: "1", count: 64))
    func group(_ standing: GroupView.Standing, isExpired: Bool, hasLostAccess: Bool) -> GroupView {
      GroupView(
        id: id, standing: standing, isExpired: isExpired, hasLostAccess: hasLostAccess,
        isAdmin: false, name: "Trip", description: "", timerSeconds: 0, memberCount: 2, inviter: nil,
        createdAt: 0, joinedAt: 0)
    }
    let sound = group(.joined, isExpired: false, hasLostAccess: false)
    #expect(AccountCheckup.groups([]).state == .ok)
    #expect(AccountCheckup.groups([sound]).state == .ok)
    let ended = group(.kicked, isExpired: true, hasLostAccess: true)
    #expect(AccountCheckup.groups([sound, ended]).state == .ok)
    let expired = AccountCheckup.groups([sound, group(.joined, isExpired: true, hasLostAccess: false)])
    #expect(expired.state == .warning && expired.text == "no key to read one group")
    let closed = AccountCheckup.groups([group(.joined, isExpired: false, hasLostAccess: true)])
    #expect(closed.state == .warning && closed.text == "one group did not let this account in")
  }
}
