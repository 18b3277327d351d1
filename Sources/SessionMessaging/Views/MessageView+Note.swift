import SessionBase
public import SessionCore
import SessionJobs
import SessionStorage

extension MessageView {
  /// A note of the program in a conversation. Its author is the person who acted.
  public enum Note: Hashable, Sendable {
    /// A change of a group's members.
    public enum Change: String, Hashable, Sendable, CaseIterable {
      case added, removed, promoted, left
    }

    /// The other side accepted our message request.
    case requestAccepted
    /// A participant changed the timer of the conversation to that of the note.
    case timerChanged
    /// The other side saved media.
    case mediaSaved
    /// The other side called.
    case missedCall
    /// We could not leave a group.
    case leavingFailed(reason: String)
    /// We are leaving a group, or deleting it for everyone.
    case leaving(isDeleting: Bool)
    case invited(by: SessionID, group: String, asAdmin: Bool)
    /// A group has another name: the new one, if it is known.
    case renamed(String?)
    /// A group has another picture, or none any more.
    case pictureChanged
    /// Members were added or removed, became admins, or left. `more` counts those who are not listed.
    case members(Change, [SessionID], more: Int, seesHistory: Bool)
    /// The server of a room lost its newest messages, or created the room anew: what was here before has no place there.
    case roomRestarted
    /// How messages with a person are protected has changed; with the first digits of the device that it is about.
    case security(SecurityChange, device: String?)
    /// A note of a newer version, with its number.
    case unknown(Int)
  }
}

extension MessageView.Note {
  /// The number of members listed in one note.
  static let maxMembers = 100
  /// The stored kind of invitations.
  static let invitationNumber = 1005
  /// The stored kind of notes of security, which other clients do not have.
  static let securityNumber = 1100

  /// A note about members; it lists the first of them.
  static func members(_ change: Change, _ members: [SessionID], seesHistory: Bool = false) -> Self {
    .members(
      change, Array(members.prefix(maxMembers)), more: max(0, members.count - maxMembers),
      seesHistory: seesHistory)
  }

  /// The stored kind. The numbers are those of the reference client.
  var number: Int {
    switch self {
    case .leavingFailed: 1003
    case .leaving: 1004
    case .invited: Self.invitationNumber
    case .renamed, .pictureChanged: 1006
    case .members: 1007
    case .timerChanged: 2000
    case .mediaSaved: 3001
    case .requestAccepted: 4000
    case .missedCall: 5000
    // Other clients have no such note.
    case .security: Self.securityNumber
    case .roomRestarted: 9001
    case .unknown(let number): number
    }
  }

  var kind: InteractionRecord.Kind { InteractionRecord.Kind(rawValue: number) }

  /// True if two notes are about the same type of change, whatever its details are. Each member who leaves is a change
  /// of its own.
  func hasType(of other: Self) -> Bool {
    switch (self, other) {
    case (.members(.left, let one, _, _), .members(.left, let another, _, _)): one == another
    case (.members(let one, _, _, _), .members(let another, _, _, _)): one == another
    case (.renamed, .pictureChanged), (.pictureChanged, .renamed): false
    default: number == other.number
    }
  }

  /// The stored details.
  var info: [UInt8]? {
    let details: NoteDetails
    switch self {
    case .leavingFailed(let reason): details = NoteDetails(action: "leave", reason: reason)
    case .leaving(let isDeleting): details = NoteDetails(action: isDeleting ? "destroy" : "leave")
    case .invited(let inviter, let group, let asAdmin):
      details = NoteDetails(admin: asAdmin, group: group, inviter: inviter.description)
    case .renamed(let name): details = NoteDetails(change: "name", name: name)
    case .pictureChanged: details = NoteDetails(change: "picture")
    case .security(let change, let device):
      details = NoteDetails(change: change.rawValue, device: device)
    case .members(let change, let people, let more, let history):
      details = NoteDetails(
        change: change.rawValue, history: history ? true : nil, more: more > 0 ? more : nil,
        people: people.map(\.description))
    case .timerChanged, .mediaSaved, .requestAccepted, .missedCall, .roomRestarted, .unknown: return nil
    }
    return try? JobPayload.encode(details)
  }

  /// Reads a stored note.
  init(_ kind: InteractionRecord.Kind, info: [UInt8]?) {
    let details = info.flatMap { try? JobPayload.decode(NoteDetails.self, from: $0) }
    self = Self(kind.rawValue, details.flatMap { $0.v == NoteDetails.version ? $0 : nil })
  }

  private init(_ number: Int, _ details: NoteDetails?) {
    switch (number, details) {
    case (2000, _): self = .timerChanged
    case (3001, _): self = .mediaSaved
    case (4000, _): self = .requestAccepted
    case (5000, _): self = .missedCall
    case (9001, _): self = .roomRestarted
    case (1003, let details?): self = .leavingFailed(reason: details.reason ?? "")
    case (1004, let details?): self = .leaving(isDeleting: details.action == "destroy")
    case (Self.invitationNumber, let details?):
      guard let inviter = details.inviter.flatMap({ SessionID($0) }) else {
        self = .unknown(number)
        return
      }
      self = .invited(by: inviter, group: details.group ?? "", asAdmin: details.admin ?? false)
    case (1006, let details?) where details.change == "name": self = .renamed(details.name)
    case (1006, let details?) where details.change == "picture": self = .pictureChanged
    case (1007, let details?):
      guard let change = details.change.flatMap({ Change(rawValue: $0) }) else {
        self = .unknown(number)
        return
      }
      self = .members(
        change, (details.people ?? []).compactMap { SessionID($0) }, more: max(0, details.more ?? 0),
        seesHistory: details.history ?? false)
    case (Self.securityNumber, let details?):
      guard let change = details.change.flatMap({ SecurityChange(rawValue: $0) }) else {
        self = .unknown(number)
        return
      }
      self = .security(change, device: details.device)
    default: self = .unknown(number)
    }
  }
}

/// The details of a note as stored: ids, never names, which may change.
private struct NoteDetails: Codable {
  static let version = 1

  var action: String?
  var admin: Bool?
  var change: String?
  var device: String?
  var group: String?
  var history: Bool?
  var inviter: String?
  var more: Int?
  var name: String?
  var people: [String]?
  var reason: String?
  var v = Self.version
}
