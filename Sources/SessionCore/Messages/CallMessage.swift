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
    self.id = id
    self.step = step
    try MessageContent.call(self).check()
  }

  init(_ call: sc_call_body, kind: sc_message_kind) {
    id = call.id.text ?? ""
    let description = call.description.text ?? ""
    step =
      switch kind {
      case SC_MESSAGE_CALL_OFFER: .offer(description)
      case SC_MESSAGE_CALL_ANSWER: .answer(description)
      case SC_MESSAGE_CALL_PROVISIONAL_ANSWER: .provisionalAnswer
      case SC_MESSAGE_CALL_CANDIDATES:
        .candidates(
          UnsafeBufferPointer(start: call.candidates, count: call.candidate_count).map(Candidate.init))
      case SC_MESSAGE_CALL_END: .end
      default: .preOffer
      }
  }

  func core(in arena: CoreArena) -> sc_call_body {
    var call = sc_call_body()
    call.id = arena.text(id)
    switch step {
    case .offer(let description), .answer(let description): call.description = arena.text(description)
    case .candidates(let candidates):
      call.candidate_count = candidates.count
      call.candidates = arena.list(candidates.map { $0.core(in: arena) })
    case .preOffer, .provisionalAnswer, .end: break
    }
    return call
  }
}

extension CallMessage.Candidate {
  fileprivate init(_ candidate: sc_call_candidate) {
    self.init(
      candidate.description.text ?? "", lineIndex: candidate.line_index,
      mediaID: candidate.media_id.text ?? "")
  }

  fileprivate func core(in arena: CoreArena) -> sc_call_candidate {
    sc_call_candidate(
      description: arena.text(description), media_id: arena.text(mediaID), line_index: lineIndex)
  }
}

extension CallMessage.Step {
  var kind: MessageKind {
    switch self {
    case .preOffer: .callPreOffer
    case .offer: .callOffer
    case .answer: .callAnswer
    case .provisionalAnswer: .callProvisionalAnswer
    case .candidates: .callCandidates
    case .end: .callEnd
    }
  }
}
