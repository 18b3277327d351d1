import SessionCore
import SessionMessaging

extension GroupView {
  /// Why nothing can be read or written there at the moment; nil if all is well.
  var stateLine: String? {
    switch standing {
    case .kicked: "You were removed from this group."
    case .destroyed: "This group was deleted."
    case .creating, .invited, .joined, .leaving, .destroying:
      if isExpired {
        "This group's keys have expired; an admin has to come online."
      } else if hasLostAccess {
        "The group does not let you in at the moment."
      } else {
        nil
      }
    }
  }

  /// For programs.
  var json: JSONObject {
    var object: JSONObject = [
      "type": .string("group"), "conversation": .string(id.description), "kind": .string("group"),
      "name": .string(name), "description": .string(description), "standing": .string(standing.word),
      "admin": .boolean(isAdmin), "expired": .boolean(isExpired), "access_lost": .boolean(hasLostAccess),
      "members": .integer(UInt64(clamping: memberCount)),
    ]
    object["timer_seconds"] = timerSeconds > 0 ? .integer(UInt64(clamping: timerSeconds)) : nil
    object["inviter"] = inviter.map { .string($0.description) }
    object["created_at"] = createdAt > 0 ? .time(createdAt) : nil
    object["joined_at"] = joinedAt > 0 ? .time(joinedAt) : nil
    return object
  }

  static let columns = ["name", "state", "members", "id"]

  /// For eyes.
  func row(_ directory: Directory) -> [String] {
    [directory.name(id), state, knownCount.map { "\($0)" } ?? "", id.description]
  }

  /// For eyes.
  func fields(_ directory: Directory) -> [(label: String, value: CommandOutput.Part)] {
    var fields: [(label: String, value: CommandOutput.Part)] = [
      ("id", .text(id.description)), ("name", .text(DisplayText.line(name))), ("state", .text(state)),
    ]
    if let knownCount { fields.append(("members", .text("\(knownCount)"))) }
    if !description.isEmpty { fields.append(("about", .text(DisplayText.line(description)))) }
    if timerSeconds > 0 { fields.append(("timer", .text(TimeSpan(seconds: timerSeconds).text))) }
    if let inviter { fields.append(("invited by", .text(directory.name(inviter)))) }
    if createdAt > 0 { fields.append(("created", .text(LocalTime.text(createdAt)))) }
    return fields
  }

  /// The number of members; nil where the account cannot see them.
  private var knownCount: Int? {
    switch standing {
    case .invited, .kicked, .destroyed: nil
    case .creating, .joined, .leaving, .destroying: memberCount > 0 ? memberCount : nil
    }
  }

  /// The state of the account in the group, as shown to people.
  private var state: String {
    guard standing == .joined else { return standing.word }
    if isExpired { return "expired" }
    if hasLostAccess { return "no access" }
    return isAdmin ? "admin" : "member"
  }
}

extension GroupView.Standing {
  static let words = ["creating", "invited", "joined", "leaving", "destroying", "removed", "deleted"]

  var word: String {
    switch self {
    case .creating: "creating"
    case .invited: "invited"
    case .joined: "joined"
    case .leaving: "leaving"
    case .destroying: "destroying"
    case .kicked: "removed"
    case .destroyed: "deleted"
    }
  }
}

extension GroupMemberView {
  /// For programs.
  func json(_ group: Conversation.ID) -> JSONObject {
    [
      "type": .string("member"), "conversation": .string(group.description), "id": .string(id.description),
      "name": .string(name), "admin": .boolean(isAdmin), "status": .string(status.word),
      "history": .boolean(isGivenHistory),
    ]
  }

  static let columns = ["name", "role", "state", "id"]

  /// For eyes.
  func row(_ directory: Directory) -> [String] {
    let isSettled = [.inviteAccepted, .promotionAccepted, .inviteUnknown, .promotionUnknown].contains(status)
    let state = isSettled ? "" : status.word.replacing("-", with: " ")
    return [directory.name(id), isAdmin ? "admin" : "", state, id.description]
  }
}

extension GroupMember.Status {
  static let words = allCases.map(\.word)

  var word: String {
    switch self {
    case .inviteUnknown: "invite-unknown"
    case .inviteNotSent: "invite-not-sent"
    case .inviteSending: "invite-sending"
    case .inviteFailed: "invite-failed"
    case .inviteSent: "invite-sent"
    case .inviteAccepted: "member"
    case .promotionUnknown: "promotion-unknown"
    case .promotionNotSent: "promotion-not-sent"
    case .promotionSending: "promotion-sending"
    case .promotionFailed: "promotion-failed"
    case .promotionSent: "promotion-sent"
    case .promotionAccepted: "admin"
    case .removedUnknown: "removal-unknown"
    case .removed: "being-removed"
    case .removedWithMessages: "being-removed-with-messages"
    }
  }
}
