import Folders
import Foundation
import Glibc
import Testing

@testable import SessionDaemon

/// Files that clients pass to the daemon, which opens them again with its own rights.
@Suite struct PassedFileTests {
  private let folder: TemporaryFolder

  init() throws { folder = try TemporaryFolder() }

  @Test func onlyWhatTheClientCouldReadIsTaken() throws {
    let path = folder.path("file")
    #expect(FileManager.default.createFile(atPath: path, contents: Data([1])))
    for (flags, isReadable) in [(O_RDONLY, true), (O_RDWR, true), (O_WRONLY, false), (0o10_000_000, false)] {
      #expect(PassedFile(adopting: open(path, flags)).isReadable == isReadable, "\(flags)")
    }
    #expect(!PassedFile(adopting: open(folder.path(""), O_RDONLY)).isReadable)
    #expect(!PassedFile(adopting: open("/dev/null", O_RDONLY)).isReadable)
  }
}
