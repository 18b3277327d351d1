import SessionCore
import Testing

@testable import SessionCLI
@testable import SessionMessaging

/// The findings of `doctor` about the rooms of an account.
@Suite struct RoomFindingTests {
  private func room(_ state: RoomView.State, _ name: String, on server: String) throws -> RoomView {
    RoomView(
      id: .room(try Community.Place(server: "https://\(server).example", room: name)), state: state,
      name: name,
      description: nil, userCount: 0, permissions: [])
  }

  @Test func theDoctorNamesRoomsThatCannotBeRead() throws {
    #expect(AccountCheckup.rooms([]).text == "none")
    let sound = try [
      room(.joined, "a", on: "one"), room(.joining, "b", on: "one"), room(.joined, "a", on: "two"),
    ]
    #expect(AccountCheckup.rooms(sound).state == .ok && AccountCheckup.rooms(sound).text == "3 on 2 servers")
    let closed = AccountCheckup.rooms(try sound + [room(.noAccess, "c", on: "one")])
    #expect(closed.state == .warning && closed.text.contains("https://one.example/c does not let you"))
    let gone = AccountCheckup.rooms([try room(.gone, "d", on: "one")])
    #expect(gone.state == .warning && gone.text == "https://one.example/d does not exist any more")
  }
}
