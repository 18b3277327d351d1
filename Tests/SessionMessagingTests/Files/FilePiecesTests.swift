import Folders
import SessionCore
import SessionStorage
import Testing

@Suite struct FilePiecesTests {
  @Test func piecesEndWithTheFile() async throws {
    let folder = try TemporaryFolder()
    try folder.write([1, 2, 3, 4, 5], to: "five")
    let pieces = FilePieces(folder.path("five"), pieceSize: 2)
    for _ in 0..<2 {
      #expect(try await pieces.reduce(into: []) { $0.append($1) } == [[1, 2], [3, 4], [5]])
    }
  }
}
