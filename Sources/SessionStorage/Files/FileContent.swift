public import SessionCore

/// The content of an encrypted file, as it is read.
public struct FileContent: AsyncSequence, Sendable {
  public typealias Element = [UInt8]

  let path: String
  let key: SecretBytes

  public func makeAsyncIterator() -> Iterator {
    Iterator(path: path, key: key)
  }

  public struct Iterator: AsyncIteratorProtocol {
    private var sealed: FilePieces.Iterator
    private let key: SecretBytes
    private var opener: FileOpener?
    private var hasEnded = false

    fileprivate init(path: String, key: SecretBytes) {
      sealed = FilePieces(path).makeAsyncIterator()
      self.key = key
    }

    /// `attachmentDamaged` and `attachmentFormat` of the core when the file is not what was written.
    public mutating func next(
      isolation actor: isolated (any Actor)? = #isolation
    ) async throws(SessionError) -> [UInt8]? {
      while !hasEnded {
        let current = if let opener { opener } else { try FileOpener(keptUnder: key) }
        opener = current
        let sealedPiece = try await sealed.next(isolation: actor)
        hasEnded = sealedPiece == nil
        let piece =
          if let sealedPiece { try current.open(sealedPiece) } else { try current.finish() }
        if !piece.isEmpty { return piece }
      }
      return nil
    }
  }
}
