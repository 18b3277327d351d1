import Folders
import SessionBase
import Testing

@Suite struct FileLockTests {
  private let folder: TemporaryFolder

  init() throws { folder = try TemporaryFolder() }

  @Test func aLockHasOneHolderAtATime() throws {
    let path = folder.path("lock")
    do {
      let lock = try FileLock(path, of: "the folder", purpose: "first")
      #expect(FileLock.holder(of: path)?.purpose == "first")
      #expect { _ = try FileLock(path, of: "the folder", purpose: "second") } throws: {
        ($0 as? FileError)?.code == .inUse
          && "\($0)".hasPrefix("the folder is in use by first (process ")
      }
      withExtendedLifetime(lock) {}
    }
    #expect(!FileLock.isHeld(path))
    _ = try FileLock(path, of: "the folder", purpose: "second")
  }
}
