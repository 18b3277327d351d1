public import SessionCore

/// The content of a sealed file, pulled piece by piece.
///
/// Memory use does not depend on the file size. Each piece is authenticated, but only the end of the sequence proves
/// that nothing is missing: until then, keep the pieces separate, and discard them if an error is thrown. A file in
/// the legacy format is read twice, so it must be a sequence that can be iterated again, like ``FilePieces``.
public struct OpenedAttachment<Sealed: AsyncSequence>: AsyncSequence where Sealed.Element == [UInt8] {
  public typealias Element = [UInt8]
  public typealias Failure = any Error

  fileprivate let sealed: Sealed
  fileprivate let pointer: AttachmentPointer

  public func makeAsyncIterator() -> Iterator {
    Iterator(sealed: sealed, pointer: pointer)
  }

  public struct Iterator: AsyncIteratorProtocol {
    private enum State {
      case beginning(AttachmentPointer)
      case opening(FileOpener, Sealed.AsyncIterator)
      case ended
    }

    private let sealed: Sealed
    private var state: State

    fileprivate init(sealed: Sealed, pointer: AttachmentPointer) {
      self.sealed = sealed
      self.state = .beginning(pointer)
    }

    public mutating func next(
      isolation actor: isolated (any Actor)? = #isolation
    ) async throws(any Error) -> [UInt8]? {
      while true {
        let current = state
        state = .ended  // unless this step succeeds
        try Task.checkCancellation()
        var output: [UInt8] = []
        switch current {
        case .beginning(let pointer):
          let opener = try FileOpener(pointer)
          if opener.checksFirst { try await check(with: opener, isolation: actor) }
          state = .opening(opener, sealed.makeAsyncIterator())
        case .opening(let opener, var pieces):
          if let piece = try await pieces.next(isolation: actor) {
            output = try opener.open(piece)
            state = .opening(opener, pieces)
          } else {
            output = try opener.finish()
          }
        case .ended:
          return nil
        }
        if !output.isEmpty { return output }
      }
    }

    private func check(
      with opener: FileOpener, isolation actor: isolated (any Actor)?
    ) async throws {
      var pieces = sealed.makeAsyncIterator()
      while let piece = try await pieces.next(isolation: actor) {
        try Task.checkCancellation()
        try opener.check(piece)
      }
      try opener.finishChecking()
    }
  }
}

extension OpenedAttachment: Sendable where Sealed: Sendable {}

extension AsyncSequence where Element == [UInt8] {
  /// Returns the content of this sealed file.
  public func opened(with pointer: AttachmentPointer) -> OpenedAttachment<Self> {
    OpenedAttachment(sealed: self, pointer: pointer)
  }
}
