import SessionBase
public import SessionCore

/// A file, read piece by piece; each iteration opens it and reads it from the beginning.
public struct FilePieces: AsyncSequence, Sendable {
  public typealias Element = [UInt8]
  public typealias Failure = SessionError

  /// The default size of a piece.
  public static let defaultPieceSize = 64 * 1024

  public let path: String
  public let pieceSize: Int

  public init(_ path: String, pieceSize: Int = defaultPieceSize) {
    precondition(pieceSize > 0, "a piece has at least one byte")
    self.path = path
    self.pieceSize = pieceSize
  }

  public func makeAsyncIterator() -> Iterator {
    Iterator(path: path, pieceSize: pieceSize)
  }

  public struct Iterator: AsyncIteratorProtocol {
    fileprivate let path: String
    fileprivate let pieceSize: Int
    private let queue = WorkerQueue("session.files.reading")
    private var file: OpenFile?

    fileprivate init(path: String, pieceSize: Int) {
      self.path = path
      self.pieceSize = pieceSize
    }

    public mutating func next(
      isolation actor: isolated (any Actor)? = #isolation
    ) async throws(SessionError) -> [UInt8]? {
      let (known, path, pieceSize) = (file, path, pieceSize)
      do throws(FileError) {
        let (file, piece) = try await queue.run { () throws(FileError) in
          let file = if let known { known } else { try OpenFile(reading: path) }
          return (file, try file.read(upTo: pieceSize))
        }
        self.file = file
        return piece.isEmpty ? nil : piece
      } catch {
        throw SessionError(error)
      }
    }
  }
}
