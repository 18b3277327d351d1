public import SessionCore

/// A file being sealed: its pieces, pulled one by one, and at the end the pointer that opens it.
///
/// Pieces are about as large as the input's; only the padding of the stream format, up to a thirty-second of the
/// content, comes as one piece. Otherwise memory use does not depend on the file size. Each iteration reads the
/// content from its beginning, in the stream format twice, so the content must be a sequence that can be iterated
/// again, like ``FilePieces``. Publish nothing before the pointer has come.
public struct SealedAttachment<Content: AsyncSequence>: AsyncSequence where Content.Element == [UInt8] {
  public enum Part: Sendable {
    case piece([UInt8])
    /// The last part.
    case pointer(AttachmentPointer)
  }

  public typealias Element = Part
  public typealias Failure = any Error

  fileprivate let content: Content
  fileprivate let sealing: AttachmentSealing

  public func makeAsyncIterator() -> Iterator {
    Iterator(content: content, sealing: sealing)
  }

  public struct Iterator: AsyncIteratorProtocol {
    private enum State {
      case beginning(AttachmentSealing)
      case heading(any AttachmentSealer)
      case sealing(any AttachmentSealer, Content.AsyncIterator)
      case finished(AttachmentPointer)
      case ended
    }

    private let content: Content
    private var state: State

    fileprivate init(content: Content, sealing: AttachmentSealing) {
      self.content = content
      self.state = .beginning(sealing)
    }

    public mutating func next(
      isolation actor: isolated (any Actor)? = #isolation
    ) async throws(any Error) -> Part? {
      while true {
        let current = state
        state = .ended  // unless this step succeeds
        try Task.checkCancellation()
        var output: [UInt8] = []
        switch current {
        case .beginning(let sealing):
          let sealer = try sealing.makeSealer()
          if sealer.measuresFirst { try await measure(with: sealer, isolation: actor) }
          state = .heading(sealer)
        case .heading(let sealer):
          output = try sealer.head()
          state = output.isEmpty ? .sealing(sealer, content.makeAsyncIterator()) : .heading(sealer)
        case .sealing(let sealer, var pieces):
          if let piece = try await pieces.next(isolation: actor) {
            output = try sealer.seal(piece)
            state = .sealing(sealer, pieces)
          } else {
            let (end, pointer) = try sealer.finish()
            output = end
            state = .finished(pointer)
          }
        case .finished(let pointer):
          return .pointer(pointer)
        case .ended:
          return nil
        }
        if !output.isEmpty { return .piece(output) }
      }
    }

    private func measure(
      with sealer: any AttachmentSealer, isolation actor: isolated (any Actor)?
    ) async throws {
      var pieces = content.makeAsyncIterator()
      while let piece = try await pieces.next(isolation: actor) {
        try Task.checkCancellation()
        try sealer.measure(piece)
      }
    }
  }
}

extension SealedAttachment: Sendable where Content: Sendable {}

extension AsyncSequence where Element == [UInt8] {
  /// Returns this content as a sealed file.
  public func sealed(_ sealing: AttachmentSealing) -> SealedAttachment<Self> {
    SealedAttachment(content: self, sealing: sealing)
  }
}
