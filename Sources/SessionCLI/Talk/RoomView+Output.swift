import SessionCore
import SessionMessaging
import SessionNetworking

extension RoomView {
  /// For programs.
  var json: JSONObject {
    var object: JSONObject = [
      "type": .string("room"), "conversation": .string(id.description), "kind": .string("community"),
      "name": .string(name), "state": .string(state.word), "users": .integer(UInt64(clamping: userCount)),
      "write": .boolean(permissions.contains(.write)),
      "moderator": .boolean(permissions.contains(.moderator)),
      "admin": .boolean(permissions.contains(.admin)),
    ]
    object["description"] = description.map { .string($0) }
    return object
  }

  static let columns = ["name", "state", "users", "address"]

  /// For eyes.
  var row: [String] {
    [
      DisplayText.fitted(DisplayText.line(name), to: 32), shownState, userCount > 0 ? "\(userCount)" : "",
      DisplayText.line(id.description),
    ]
  }

  /// What we may do there, for eyes.
  var shownState: String {
    guard state == .joined else { return state.word }
    if permissions.contains(.admin) { return "admin" }
    if permissions.contains(.moderator) { return "moderator" }
    return permissions.contains(.write) ? "member" : "reader"
  }
}

extension RoomView.State {
  static let words = ["joining", "joined", "no access", "gone"]

  var word: String {
    switch self {
    case .joining: "joining"
    case .joined: "joined"
    case .noAccess: "no access"
    case .gone: "gone"
    }
  }
}
