import SessionCore
import SessionMessaging

extension MessageView {
  /// The text of a note.
  func text(of note: Note, _ directory: Directory) -> String {
    switch note {
    case .requestAccepted: "accepted the message request"
    case .timerChanged: timerText(directory)
    case .mediaSaved: "saved media"
    case .missedCall: "missed call"
    case .leavingFailed(let reason): "Leaving the group failed: \(DisplayText.line(reason))."
    case .leaving(let isDeleting): isDeleting ? "Deleting the group…" : "Leaving…"
    case .invited(let inviter, let group, let asAdmin):
      "\(directory.subject(inviter)) invited you to \(DisplayText.line(group))\(asAdmin ? " as an admin" : "")."
    case .renamed(let name?): "The group is now called \(DisplayText.line(name))."
    case .renamed(nil): "The group's name was changed."
    case .pictureChanged: "The group's picture was changed."
    case .members(let change, let people, let more, let seesHistory):
      MembersText(people, more: more, directory).text(change, seesHistory: seesHistory)
    case .roomRestarted: "The server has started this room anew: earlier messages are no longer there."
    case .security(let change, let device): change.text(directory.subject(author), device)
    case .unknown: "a note of a newer version"
    }
  }

  private func timerText(_ directory: Directory) -> String {
    guard conversation.isGroup else { return timer?.words ?? "messages do not disappear any more" }
    let who = directory.subject(author)
    guard let timer else { return "\(who) turned off disappearing messages." }
    return "\(who) set messages to disappear after \(TimeSpan(seconds: Int64(timer.seconds)).text)."
  }
}

extension SecurityChange {
  /// The sentence about a change of a person, and of one of their devices.
  fileprivate func text(_ name: String, _ key: String?) -> String {
    let device = key.map { " (\($0))" } ?? ""
    return switch self {
    case .protected: "Messages with \(name) have forward secrecy from now on."
    case .weakened: "Messages with \(name) have less protection than before: no forward secrecy."
    case .deviceAdded: "\(name) has a new device\(device)."
    case .deviceHeld:
      "\(name) has a new device\(device) that none of their devices vouches for. It gets no messages until you compare numbers."
    case .deviceRemoved: "\(name) removed a device\(device)."
    case .devicesDisagree:
      "\(name)'s devices disagree about which of them belong to \(name). Ask over another way."
    case .sessionReset: "New keys were agreed on with a device\(device) of \(name)."
    case .lost: "A message from a device\(device) of \(name) could not be read."
    case .verified: "You verified \(name)\(key == nil ? "" : " on another device")."
    case .unverified: "\(name) is no longer verified: compare numbers again."
    }
  }
}

/// The sentence about the members that a note names. The account itself comes first.
private struct MembersText {
  private let subject: String
  private let isPlural: Bool
  private let isOwn: Bool

  init(_ people: [SessionID], more: Int, _ directory: Directory) {
    isOwn = people.contains(directory.own)
    let ordered = (isOwn ? [directory.own] : []) + people.filter { $0 != directory.own }
    let count = ordered.count + more
    isPlural = count > 1
    let first = ordered.first.map { directory.subject($0) }
    switch (first, count) {
    case (let first?, 1): subject = first
    case (let first?, 2) where ordered.count == 2: subject = "\(first) and \(directory.name(ordered[1]))"
    case (let first?, _): subject = "\(first) and \(count - 1) " + (count == 2 ? "other" : "others")
    case (nil, 1): subject = "One person"
    case (nil, _): subject = "\(count) people"
    }
  }

  func text(_ change: MessageView.Note.Change, seesHistory: Bool) -> String {
    let were = isOwn || isPlural ? "were" : "was"
    return switch change {
    case .added:
      "\(subject) \(were) added to the group\(seesHistory ? " and can see earlier messages" : "")."
    case .removed: "\(subject) \(were) removed from the group."
    case .promoted:
      isPlural ? "\(subject) are now admins." : "\(subject) \(isOwn ? "are" : "is") now an admin."
    case .left: "\(subject) left the group."
    }
  }
}

extension Directory {
  /// The name of a person at the beginning of a sentence.
  fileprivate func subject(_ person: SessionID) -> String { person == own ? "You" : name(person) }
}

extension Conversation.ID {
  var isGroup: Bool {
    if case .group = self { return true }
    return false
  }
}
