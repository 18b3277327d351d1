import Synchronization
import Testing

@testable import SessionDaemon

/// Content that is decrypted from its beginning, and read in parts.
@Suite struct ContentReaderTests {
  /// Content in pieces of some bytes, which counts how many of them were made.
  private final class Source: AsyncSequence, Sendable {
    let bytes: [UInt8]
    let piece: Int
    let made = Mutex(0)
    let isBroken: Bool

    init(_ count: Int, piece: Int, isBroken: Bool = false) {
      bytes = (0..<count).map { UInt8(truncatingIfNeeded: $0) }
      (self.piece, self.isBroken) = (piece, isBroken)
    }

    struct Broken: Error {}

    struct Iterator: AsyncIteratorProtocol {
      let source: Source
      var place = 0

      mutating func next() async throws -> [UInt8]? { try await next(isolation: nil) }

      mutating func next(isolation actor: isolated (any Actor)?) async throws -> [UInt8]? {
        guard place < source.bytes.count else {
          if source.isBroken { throw Broken() }
          return nil
        }
        let piece = Array(source.bytes[place..<Swift.min(place + source.piece, source.bytes.count)])
        place += piece.count
        source.made.withLock { $0 += 1 }
        return piece
      }
    }

    func makeAsyncIterator() -> Iterator { Iterator(source: self) }
  }

  @Test(arguments: [1, 7, 10, 64, 1000]) func partsFollowEachOther(length: Int) async throws {
    let source = Source(100, piece: 10)
    let reader = ContentReader(source)
    var (read, isEnd) = ([UInt8](), false)
    while !isEnd {
      let part = try await reader.part(at: read.count, length: length)
      #expect(part.bytes.count == length || part.isEnd)
      read += part.bytes
      isEnd = part.isEnd
    }
    #expect(read == source.bytes)
    // Each piece was made once, however many parts there were.
    #expect(source.made.withLock { $0 } == 10)
  }

  @Test func aPartCanBeAnywhere() async throws {
    let source = Source(100, piece: 10)
    let reader = ContentReader(source)
    for (start, length) in [(50, 20), (0, 5), (99, 1), (33, 0), (95, 100), (10, 10)] {
      let part = try await reader.part(at: start, length: length)
      #expect(part.bytes == Array(source.bytes[start..<Swift.min(start + length, 100)]), "\(start) \(length)")
      #expect(part.isEnd == (start + length >= 100), "\(start) \(length)")
    }
    let behind = try await reader.part(at: 200, length: 10)
    #expect(behind.bytes.isEmpty && behind.isEnd)
  }

  @Test func theLastPartOfBrokenContentIsNotTold() async throws {
    let reader = ContentReader(Source(20, piece: 10, isBroken: true))
    #expect(try await reader.part(at: 0, length: 10).bytes.count == 10)
    for _ in 0..<2 {
      await #expect(throws: Source.Broken.self) { try await reader.part(at: 10, length: 10) }
    }
  }
}
