import SessionCore

/// Decides which messages are accepted, by their kind and by their sender's relation to us. One table for each kind
/// of conversation.
///
/// Adding a kind of message adds a row. A kind without a row is dropped; a test finds it.
struct Admission<Relation: CaseIterable & Hashable & Sendable>: Sendable {
  private var rows: [MessageKind: [Relation: AdmissionVerdict]]

  /// Each row has one verdict for each relation, in the order in which relations are declared.
  fileprivate init(_ rows: KeyValuePairs<MessageKind, [AdmissionVerdict]>) {
    self.rows = Dictionary(
      uniqueKeysWithValues: rows.map { kind, verdicts in
        precondition(verdicts.count == Relation.allCases.count, "a row has a verdict for each relation")
        return (kind, Dictionary(uniqueKeysWithValues: zip(Relation.allCases, verdicts)))
      })
  }

  func verdict(_ kind: MessageKind, from relation: Relation) -> AdmissionVerdict {
    rows[kind]?[relation] ?? .drop
  }

  /// The same table for messages of one kind; all others are dropped.
  fileprivate func limited(to kind: MessageKind) -> Self {
    let nothing = Dictionary(uniqueKeysWithValues: Relation.allCases.map { ($0, AdmissionVerdict.drop) })
    var limited = self
    limited.rows = Dictionary(uniqueKeysWithValues: rows.map { ($0, $0 == kind ? $1 : nothing) })
    return limited
  }

  func hasRow(for kind: MessageKind) -> Bool { rows[kind] != nil }
}

/// The decision about an opened message. Processing an accepted message may still change nothing.
enum AdmissionVerdict: String, Hashable, Sendable {
  case accept
  /// Only if its target message or conversation is here.
  case acceptIfHere
  /// Only if its target is here and the user enabled such messages.
  case acceptIfEnabled
  /// Only if we are in the group that it concerns.
  case acceptIfJoined
  /// Only if its sender is an admin of the group.
  case acceptFromAdmin
  /// Only if we are an admin of the group.
  case acceptAsAdmin
  /// A message request: kept within the limits of message requests.
  case holdAsRequest
  /// A group invitation: kept within the limits of group requests.
  case holdAsGroupRequest
  case drop
}

/// The relation of a person to us.
enum PersonRelation: String, CaseIterable, Sendable {
  case ourselves
  /// We accepted them, explicitly or by writing to them.
  case approved
  /// They wrote to us and have no reply yet.
  case asksUs
  case stranger
  case blocked
}

/// Our relation to a group, and to the sender in it.
enum GroupRelation: String, CaseIterable, Sendable {
  case member
  /// A member whom we blocked.
  case blockedMember
  case ourselves
  /// We are not in the group: we are only invited, were removed, or the group was destroyed.
  case notJoined
}

extension GroupRelation {
  /// The relation to a member of a group that we are in.
  init(ofMember person: PersonRelation) {
    switch person {
    case .ourselves: self = .ourselves
    case .blocked: self = .blockedMember
    case .approved, .asksUs, .stranger: self = .member
    }
  }
}

/// The relation of an author in a room to us.
enum RoomRelation: String, CaseIterable, Sendable {
  case visitor
  /// Somebody whom we blocked, under any of their ids.
  case blockedVisitor
  case ourselves

  init(_ person: PersonRelation) {
    switch person {
    case .ourselves: self = .ourselves
    case .blocked: self = .blockedVisitor
    case .approved, .asksUs, .stranger: self = .visitor
    }
  }
}

extension Admission<PersonRelation> {
  /// The table for messages in our own swarm.
  static let people = Admission([
    // ourselves, approved, asks us, stranger, blocked
    .visible: [.accept, .accept, .holdAsRequest, .holdAsRequest, .drop],
    .reaction: [.acceptIfHere, .acceptIfHere, .acceptIfHere, .drop, .drop],
    .unsend: [.acceptIfHere, .acceptIfHere, .acceptIfHere, .drop, .drop],
    .timerUpdate: [.acceptIfHere, .acceptIfHere, .drop, .drop, .drop],
    .readReceipt: [.drop, .acceptIfEnabled, .drop, .drop, .drop],
    .typing: [.drop, .acceptIfEnabled, .drop, .drop, .drop],
    .dataExtraction: [.drop, .acceptIfHere, .drop, .drop, .drop],
    .messageRequestResponse: [.drop, .accept, .drop, .drop, .drop],
    .callPreOffer: [.drop, .acceptIfHere, .drop, .drop, .drop],
    .callOffer: [.drop, .drop, .drop, .drop, .drop],
    .callAnswer: [.drop, .drop, .drop, .drop, .drop],
    .callProvisionalAnswer: [.drop, .drop, .drop, .drop, .drop],
    .callCandidates: [.drop, .drop, .drop, .drop, .drop],
    .callEnd: [.drop, .drop, .drop, .drop, .drop],
    .groupInvite: [.drop, .accept, .holdAsGroupRequest, .holdAsGroupRequest, .drop],
    .groupPromotion: [.drop, .accept, .holdAsGroupRequest, .holdAsGroupRequest, .acceptIfJoined],
    .groupInfoChange: [.drop, .drop, .drop, .drop, .drop],
    .groupMemberChange: [.drop, .drop, .drop, .drop, .drop],
    .groupMemberLeft: [.drop, .drop, .drop, .drop, .drop],
    .groupMemberLeftNotification: [.drop, .drop, .drop, .drop, .drop],
    .groupInviteResponse: [.drop, .drop, .drop, .drop, .drop],
    .groupContentDeletion: [.drop, .drop, .drop, .drop, .drop],
    .legacyConfig: [.drop, .drop, .drop, .drop, .drop],
  ])

  /// The table for our inbox on a community server: that of people, for visible messages only.
  static let inbox = people.limited(to: .visible)
}

extension Admission<GroupRelation> {
  /// The table for messages in the swarm of a group.
  static let groups = Admission([
    // member, blocked member, ourselves, not joined
    .visible: [.accept, .drop, .accept, .drop],
    .reaction: [.acceptIfHere, .drop, .acceptIfHere, .drop],
    .unsend: [.drop, .drop, .drop, .drop],
    .timerUpdate: [.drop, .drop, .drop, .drop],
    .readReceipt: [.drop, .drop, .drop, .drop],
    .typing: [.drop, .drop, .drop, .drop],
    .dataExtraction: [.drop, .drop, .drop, .drop],
    .messageRequestResponse: [.drop, .drop, .drop, .drop],
    .callPreOffer: [.drop, .drop, .drop, .drop],
    .callOffer: [.drop, .drop, .drop, .drop],
    .callAnswer: [.drop, .drop, .drop, .drop],
    .callProvisionalAnswer: [.drop, .drop, .drop, .drop],
    .callCandidates: [.drop, .drop, .drop, .drop],
    .callEnd: [.drop, .drop, .drop, .drop],
    .groupInvite: [.drop, .drop, .drop, .drop],
    .groupPromotion: [.drop, .drop, .drop, .drop],
    .groupInfoChange: [.acceptFromAdmin, .acceptFromAdmin, .accept, .drop],
    .groupMemberChange: [.acceptFromAdmin, .acceptFromAdmin, .accept, .drop],
    .groupMemberLeft: [.acceptAsAdmin, .acceptAsAdmin, .drop, .drop],
    .groupMemberLeftNotification: [.accept, .accept, .accept, .drop],
    .groupInviteResponse: [.acceptAsAdmin, .acceptAsAdmin, .drop, .drop],
    .groupContentDeletion: [.accept, .accept, .accept, .drop],
    .legacyConfig: [.drop, .drop, .drop, .drop],
  ])
}

extension Admission<RoomRelation> {
  /// The table for messages in a room. Reactions, edits, deletions and pins are events of its server.
  static let rooms = Admission([
    // visitor, blocked visitor, ourselves
    .visible: [.accept, .drop, .accept],
    .reaction: [.drop, .drop, .drop],
    .unsend: [.drop, .drop, .drop],
    .timerUpdate: [.drop, .drop, .drop],
    .readReceipt: [.drop, .drop, .drop],
    .typing: [.drop, .drop, .drop],
    .dataExtraction: [.drop, .drop, .drop],
    .messageRequestResponse: [.drop, .drop, .drop],
    .callPreOffer: [.drop, .drop, .drop],
    .callOffer: [.drop, .drop, .drop],
    .callAnswer: [.drop, .drop, .drop],
    .callProvisionalAnswer: [.drop, .drop, .drop],
    .callCandidates: [.drop, .drop, .drop],
    .callEnd: [.drop, .drop, .drop],
    .groupInvite: [.drop, .drop, .drop],
    .groupPromotion: [.drop, .drop, .drop],
    .groupInfoChange: [.drop, .drop, .drop],
    .groupMemberChange: [.drop, .drop, .drop],
    .groupMemberLeft: [.drop, .drop, .drop],
    .groupMemberLeftNotification: [.drop, .drop, .drop],
    .groupInviteResponse: [.drop, .drop, .drop],
    .groupContentDeletion: [.drop, .drop, .drop],
    .legacyConfig: [.drop, .drop, .drop],
  ])
}
