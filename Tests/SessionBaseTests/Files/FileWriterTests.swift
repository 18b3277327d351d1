import Folders
import SessionBase
import Testing

@Suite struct FileWriterTests {
  private let folder: TemporaryFolder

  init() throws { folder = try TemporaryFolder() }

  @Test func aFileAppearsWhenItIsComplete() async throws {
    try await FileWriter.write(folder.path("new")) { file in
      try await file.write([1, 2])
      try await file.write([3])
      #expect(try !folder.names.contains("new"))
    }
    #expect(try folder.names == ["new"])
    #expect(try folder.read("new") == [1, 2, 3])
  }

  @Test func anUnfinishedFileLeavesNothingBehind() async throws {
    for _ in 0..<100 {
      await #expect(throws: CancellationError.self) {
        try await FileWriter.write(folder.path("new")) { file in
          try await file.write([1])
          throw CancellationError()
        }
      }
      #expect(try folder.names == [])
    }
  }

  @Test func anExistingFileIsReplacedOnRequestOnly() async throws {
    try folder.write([1], to: "old")
    await #expect {
      try await FileWriter.write(folder.path("old")) { _ in }
    } throws: {
      ($0 as? FileError)?.code == .exists
    }
    try await FileWriter.write(folder.path("old"), replacing: true) { file in try await file.write([2]) }
    #expect(try folder.read("old") == [2])
  }
}
