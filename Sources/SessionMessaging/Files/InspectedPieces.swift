import SessionCore
import Synchronization

/// Passes pieces through while inspecting their first bytes and total size. Ends with an error beyond the limit.
struct InspectedPieces<Base: AsyncSequence & Sendable>: AsyncSequence, Sendable
where Base.Element == [UInt8] {
  typealias Element = [UInt8]

  let base: Base
  let inspection: Inspection

  init(_ base: Base, _ inspection: Inspection) {
    self.base = base
    self.inspection = inspection
  }

  func makeAsyncIterator() -> Iterator {
    inspection.begin()
    return Iterator(pieces: base.makeAsyncIterator(), inspection: inspection)
  }

  struct Iterator: AsyncIteratorProtocol {
    fileprivate var pieces: Base.AsyncIterator
    fileprivate let inspection: Inspection

    mutating func next(
      isolation actor: isolated (any Actor)? = #isolation
    ) async throws(any Error) -> [UInt8]? {
      guard let piece = try await pieces.next(isolation: actor) else { return nil }
      try inspection.take(piece)
      return piece
    }
  }
}

/// The result of inspecting the pieces of a file.
final class Inspection: Sendable {
  private struct State {
    var head: [UInt8] = []
    var size = 0
  }

  private let state = Mutex(State())
  private let limit: Int
  /// The number of first bytes that are kept.
  private let kept: Int
  /// Receives the number of bytes that passed.
  private let progress: @Sendable (Int) -> Void

  /// All of a recording is inspected: its length may be at the end.
  init(upTo limit: Int, isRecording: Bool = false, progress: @escaping @Sendable (Int) -> Void = { _ in }) {
    self.limit = limit
    kept = isRecording ? limit : ImageHeader.maxBytes
    self.progress = progress
  }

  var size: Int { state.withLock { $0.size } }
  var image: ImageHeader? { ImageHeader(state.withLock { $0.head }) }
  var recording: Recording? { Recording(state.withLock { $0.head }) }

  fileprivate func begin() { state.withLock { $0 = State() } }

  fileprivate func take(_ piece: [UInt8]) throws {
    let size = state.withLock { state in
      if state.head.count < kept { state.head += piece.prefix(kept - state.head.count) }
      state.size += piece.count
      return state.size
    }
    guard size <= limit else {
      throw MessengerError(.fileUnavailable, "the file is too large: the limit is \(limit) bytes")
    }
    progress(size)
  }
}

/// Bytes in memory, piece by piece; can be iterated repeatedly.
struct MemoryPieces: AsyncSequence, Sendable {
  typealias Element = [UInt8]
  typealias Failure = Never

  private static let pieceSize = 64 * 1024

  let bytes: [UInt8]

  init(_ bytes: [UInt8]) { self.bytes = bytes }

  func makeAsyncIterator() -> Iterator { Iterator(rest: bytes[...]) }

  struct Iterator: AsyncIteratorProtocol {
    fileprivate var rest: ArraySlice<UInt8>

    mutating func next(isolation actor: isolated (any Actor)? = #isolation) async throws(Never) -> [UInt8]? {
      guard !rest.isEmpty else { return nil }
      defer { rest = rest.dropFirst(MemoryPieces.pieceSize) }
      return Array(rest.prefix(MemoryPieces.pieceSize))
    }
  }
}
