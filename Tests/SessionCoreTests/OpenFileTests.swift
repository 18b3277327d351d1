import Glibc
import Testing

@testable import SessionCore

@Suite struct OpenFileTests {
  private let folder: TemporaryFolder

  init() throws { folder = try TemporaryFolder() }

  @Test func readingAllStopsAtTheLimit() throws {
    try folder.write([1, 2, 3, 4], to: "four")
    #expect(try OpenFile(reading: folder.path("four")).readAll(upTo: 4) == [1, 2, 3, 4])
    #expect { try OpenFile(reading: folder.path("four")).readAll(upTo: 3) } throws: {
      SessionError.Code.tooLarge ~= $0
    }
    #expect(throws: SessionError.self) { try OpenFile(reading: "/dev/zero").readAll(upTo: 1000) }
  }

  @Test func aFullDiskIsToldApart() throws {
    let full = OpenFile(adopting: open("/dev/full", O_WRONLY | O_CLOEXEC), name: "full")
    #expect { try full.write([1].span) } throws: { SessionError.Code.diskFull ~= $0 }
  }

  @Test func piecesEndWithTheFile() async throws {
    try folder.write([1, 2, 3, 4, 5], to: "five")
    let pieces = FilePieces(folder.path("five"), pieceSize: 2)
    for _ in 0..<2 {
      #expect(try await pieces.reduce(into: []) { $0.append($1) } == [[1, 2], [3, 4], [5]])
    }
  }
}
