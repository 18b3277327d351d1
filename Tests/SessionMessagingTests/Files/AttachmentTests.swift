import SessionCore
import SessionMessaging
import Testing

/// Bytes in memory as a sequence of pieces.
struct Pieces: AsyncSequence, Sendable {
  typealias Element = [UInt8]
  typealias Failure = Never

  let bytes: [UInt8]
  let size: Int

  func makeAsyncIterator() -> Iterator { Iterator(rest: bytes[...], size: size) }

  struct Iterator: AsyncIteratorProtocol {
    var rest: ArraySlice<UInt8>
    let size: Int

    mutating func next() async -> [UInt8]? {
      defer { rest = rest.dropFirst(size) }
      return rest.isEmpty ? nil : Array(rest.prefix(size))
    }
  }
}

extension SealedAttachment {
  func collect() async throws -> (bytes: [UInt8], pointer: AttachmentPointer) {
    var bytes: [UInt8] = []
    var pointer: AttachmentPointer?
    for try await part in self {
      switch part {
      case .piece(let piece): bytes += piece
      case .pointer(let last): pointer = last
      }
    }
    return (bytes, try #require(pointer))
  }
}

extension OpenedAttachment {
  func collect() async throws -> [UInt8] {
    try await reduce(into: []) { $0 += $1 }
  }
}

@Suite struct AttachmentTests {
  private func sealing(_ format: AttachmentFormat) throws -> AttachmentSealing {
    switch format {
    case .legacy: .legacy
    case .stream: .stream(by: try Example.first())
    }
  }

  @Test(arguments: AttachmentFormat.allCases, [0, 1, 541, 32768, 200_000])
  func contentComesBackWhateverThePieces(format: AttachmentFormat, size: Int) async throws {
    let content = (0..<size).map { UInt8(truncatingIfNeeded: $0 &* 31) }
    for pieceSize in [1000, 70_000] {
      let (sealed, pointer) = try await Pieces(bytes: content, size: pieceSize).sealed(sealing(format))
        .collect()
      #expect(pointer.format == format)
      #expect(pointer.size == UInt64(size))
      let opened = try await Pieces(bytes: sealed, size: pieceSize + 1).opened(with: pointer).collect()
      #expect(opened == content)
    }
  }

  @Test func theStreamFormatIsTheSameForTheSameContentAndAccount() async throws {
    let content = Pieces(bytes: Array("hello".utf8), size: 2)
    let first = try await content.sealed(.stream(by: Example.first())).collect()
    let again = try await content.sealed(.stream(by: Example.first())).collect()
    let picture = try await content.sealed(.stream(by: Example.first(), as: .displayPicture)).collect()
    let other = try await content.sealed(.stream(by: Example.second())).collect()
    #expect(first.bytes == again.bytes)
    #expect(first.bytes.count == 4096)
    #expect(first.bytes != picture.bytes)
    #expect(first.bytes != other.bytes)
  }

  @Test(arguments: AttachmentFormat.allCases)
  func aChangedBitIsNoticed(format: AttachmentFormat) async throws {
    var (sealed, pointer) = try await Pieces(bytes: [1, 2, 3], size: 3).sealed(sealing(format)).collect()
    sealed[100] ^= 1
    let opened = Pieces(bytes: sealed, size: 1000).opened(with: pointer)
    await expectFailure(.fileDamaged) { _ = try await opened.collect() }
  }

  @Test(arguments: AttachmentFormat.allCases)
  func aMissingEndIsNoticed(format: AttachmentFormat) async throws {
    let content = [UInt8](repeating: 7, count: 100_000)
    let (sealed, pointer) = try await Pieces(bytes: content, size: 5000).sealed(sealing(format)).collect()
    let opened = Pieces(bytes: Array(sealed.prefix(1 + 24 + 32785)), size: 1000).opened(with: pointer)
    await expectFailure(.fileFormat) { _ = try await opened.collect() }
  }

  @Test(arguments: AttachmentFormat.allCases)
  func moreThanServersTakeIsRefusedUnlessAskedFor(format: AttachmentFormat) async throws {
    let content = Pieces(bytes: [UInt8](repeating: 7, count: 10_300_000), size: 1 << 16)
    await expectFailure(.fileTooLarge) { _ = try await content.sealed(sealing(format)).collect() }
    _ = try await content.sealed(sealing(format).ofAnySize).collect()
  }

  @Test func anEndedIterationStaysEnded() async throws {
    var iterator = Pieces(bytes: [1], size: 1).opened(
      with: AttachmentPointer(format: .stream, key: try .random(count: 32), size: 1)
    ).makeAsyncIterator()
    await #expect(throws: SessionError.self) { _ = try await iterator.next() }
    #expect(try await iterator.next() == nil)
  }

  @Test func aPointerWithAKeyOfAnotherSizeOpensNothing() async throws {
    for format in AttachmentFormat.allCases {
      let pointer = AttachmentPointer(
        format: format, key: try .random(count: 33), digest: [UInt8](repeating: 0, count: 32), size: 1)
      let opened = Pieces(bytes: [1], size: 1).opened(with: pointer)
      await expectFailure(.keySize) { _ = try await opened.collect() }
    }
  }

  @Test func picturesGoBothWays() throws {
    let (sealed, key) = try Picture.seal([1, 2, 3])
    #expect(try Picture.open(sealed, key: key) == [1, 2, 3])
    #expect { try Picture.open(sealed, key: .random(count: 32)) } throws: {
      SessionError.Code.fileDamaged ~= $0
    }
  }
}
