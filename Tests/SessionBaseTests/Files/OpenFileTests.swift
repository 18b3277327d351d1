import Folders
import Glibc
import SessionBase
import Testing

@Suite struct OpenFileTests {
  private let folder: TemporaryFolder

  init() throws { folder = try TemporaryFolder() }

  @Test func readingAllStopsAtTheLimit() throws {
    try folder.write([1, 2, 3, 4], to: "four")
    #expect(try OpenFile(reading: folder.path("four")).readAll(upTo: 4) == [1, 2, 3, 4])
    #expect { try OpenFile(reading: folder.path("four")).readAll(upTo: 3) } throws: {
      ($0 as? FileError)?.code == .tooLarge
    }
    #expect(throws: FileError.self) { try OpenFile(reading: "/dev/zero").readAll(upTo: 1000) }
  }

  @Test func aFullDiskIsToldApart() throws {
    let full = OpenFile(adopting: open("/dev/full", O_WRONLY | O_CLOEXEC), name: "full")
    #expect { try full.write([1].span) } throws: { ($0 as? FileError)?.code == .diskFull }
  }

  @Test(arguments: [
    (EACCES, FileError.Code.forbidden), (EPERM, .forbidden), (EROFS, .forbidden), (ENOSPC, .diskFull),
    (EDQUOT, .diskFull), (EIO, .unwritable), (ENOENT, .uncreatable),
  ])
  func errorsOfTheSystemHaveCodesOfTheirOwn(number: Int32, code: FileError.Code) {
    errno = number
    let error = FileError.system(.uncreatable, "cannot create", "x")
    #expect(error.code == code)
    #expect(error.message == "cannot create x: \(String(cString: strerror(number)))")
  }
}
