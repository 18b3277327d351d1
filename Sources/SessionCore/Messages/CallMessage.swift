internal import CSessionCore

/// One step in setting up a call, or its end.
public struct CallMessage: Hashable, Sendable {
  public enum Step: Hashable, Sendable {
    /// The other side should ring.
    case preOffer
    /// A session description.
    case offer(String)
    case answer(String)
    /// Ignored by all clients.
    case provisionalAnswer
    case candidates([Candidate])
    case end
  }

  /// A way to reach the other side.
  public struct Candidate: Hashable, Sendable {
    public let description: String
    public let lineIndex: UInt32
    public let mediaID: String

    public init(_ description: String, lineIndex: UInt32, mediaID: String) {
      self.description = description
      self.lineIndex = lineIndex
      self.mediaID = mediaID
    }
  }

  public let id: String
  public let step: Step

  public init(_ step: Step, of id: String) throws(SessionError) {
    try MessageRule.callID.require(!id.isEmpty)
    if case .offer("") = step { throw SessionError(.callDescription) }
    if case .answer("") = step { throw SessionError(.callDescription) }
    self.id = id
    self.step = step
  }
}

extension CallMessage {
  init(_ fields: Sc__CallMessage) throws(SessionError) {
    let descriptions = try texts(fields.sdps, count: fields.n_sdps)
    let step: Step
    switch fields.type {
    case SC__CALL_MESSAGE__TYPE__OFFER: step = .offer(descriptions.first ?? "")
    case SC__CALL_MESSAGE__TYPE__ANSWER: step = .answer(descriptions.first ?? "")
    case SC__CALL_MESSAGE__TYPE__PROVISIONAL_ANSWER: step = .provisionalAnswer
    case SC__CALL_MESSAGE__TYPE__ICE_CANDIDATES: step = .candidates(try Self.candidates(descriptions, fields))
    case SC__CALL_MESSAGE__TYPE__END_CALL: step = .end
    default: step = .preOffer
    }
    try self.init(step, of: fields.uuid.requiredText())
  }

  private static func candidates(
    _ descriptions: [String], _ fields: Sc__CallMessage
  ) throws(SessionError) -> [Candidate] {
    let lines = UnsafeBufferPointer(start: fields.sdp_m_line_indexes, count: fields.n_sdp_m_line_indexes)
    let media = try texts(fields.sdp_mids, count: fields.n_sdp_mids)
    let isComplete = descriptions.count == lines.count && lines.count == media.count
    try MessageRule.callCandidates.require(isComplete)
    return descriptions.indices.map { index in
      Candidate(descriptions[index], lineIndex: lines[index], mediaID: media[index])
    }
  }

  func write(to arena: ContentArena) -> UnsafeMutablePointer<Sc__CallMessage> {
    let fields = arena.make(sc__call_message__init)
    fields.pointee.uuid = arena.text(id)
    fields.pointee.type = step.type
    let descriptions = step.descriptions
    fields.pointee.n_sdps = descriptions.count
    fields.pointee.sdps = arena.list(descriptions.map { arena.text($0) })
    if case .candidates(let candidates) = step {
      fields.pointee.n_sdp_m_line_indexes = candidates.count
      fields.pointee.sdp_m_line_indexes = arena.list(candidates.map(\.lineIndex))
      fields.pointee.n_sdp_mids = candidates.count
      fields.pointee.sdp_mids = arena.list(candidates.map { arena.text($0.mediaID) })
    }
    return fields
  }
}

extension CallMessage.Step {
  fileprivate var type: Sc__CallMessage__Type {
    switch self {
    case .preOffer: SC__CALL_MESSAGE__TYPE__PRE_OFFER
    case .offer: SC__CALL_MESSAGE__TYPE__OFFER
    case .answer: SC__CALL_MESSAGE__TYPE__ANSWER
    case .provisionalAnswer: SC__CALL_MESSAGE__TYPE__PROVISIONAL_ANSWER
    case .candidates: SC__CALL_MESSAGE__TYPE__ICE_CANDIDATES
    case .end: SC__CALL_MESSAGE__TYPE__END_CALL
    }
  }

  fileprivate var descriptions: [String] {
    switch self {
    case .offer(let description), .answer(let description): [description]
    case .candidates(let candidates): candidates.map(\.description)
    case .preOffer, .provisionalAnswer, .end: []
    }
  }
}
