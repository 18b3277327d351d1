import SessionBase
import Testing

@Suite struct FileWriterTests {
  private let folder: TemporaryFolder

  init() throws { folder = try TemporaryFolder() }

  @Test func aFileAppearsWhenItIsComplete() async throws {
    let file = try await FileWriter.begin(folder.path("new"))
    try await file.write([1, 2])
    try await file.write([3])
    #expect(try !folder.names.contains("new"))
    try await file.commit()
    #expect(try folder.names == ["new"])
    #expect(try folder.read("new") == [1, 2, 3])
  }

  @Test func anUnfinishedFileLeavesNothingBehind() async throws {
    var file: FileWriter? = try await FileWriter.begin(folder.path("new"))
    try await file?.write([1])
    file = nil
    #expect(try folder.names == [])
  }

  @Test func anExistingFileIsReplacedOnRequestOnly() async throws {
    try folder.write([1], to: "old")
    await #expect { _ = try await FileWriter.begin(folder.path("old")) } throws: {
      ($0 as? FileError)?.code == .exists
    }
    let file = try await FileWriter.begin(folder.path("old"), replacing: true)
    try await file.write([2])
    try await file.commit()
    #expect(try folder.read("old") == [2])
  }
}
