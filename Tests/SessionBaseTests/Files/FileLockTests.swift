import Folders
import Foundation
import SessionBase
import Testing

@Suite struct FileLockTests {
  private let folder: TemporaryFolder

  init() throws { folder = try TemporaryFolder() }

  @Test func aReleasedLockIsFreeAtOnce() throws {
    let path = folder.path("lock")
    let lock = try FileLock(path, of: "the folder", purpose: "first")
    lock.release()
    #expect(!FileLock.isHeld(path))
    let other = try FileLock(path, of: "the folder", purpose: "second")
    // Nothing of the first one touches the file any more.
    lock.tell(socket: "/run/first")
    lock.release()
    #expect(FileLock.holder(of: path)?.purpose == "second")
    #expect(FileLock.holder(of: path)?.socket == nil)
    withExtendedLifetime(other) {}
  }

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

  @Test func aCopyOfTheDescriptorHoldsNothing() throws {
    let path = folder.path("copied")
    var copy: Int32 = -1
    do {
      let lock = try FileLock(path, of: "the folder", purpose: "first")
      // As a program that is being started has it, until it runs.
      let descriptors = try FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd").compactMap(
        Int32.init)
      let held = descriptors.first { descriptor in
        (try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/fd/\(descriptor)")) == path
      }
      copy = dup(try #require(held))
      withExtendedLifetime(lock) {}
    }
    defer { close(copy) }
    _ = try FileLock(path, of: "the folder", purpose: "second")
  }

  @Test func aLockThatIsKeptStaysHeldUntilItIsTakenAgain() throws {
    let (path, other) = (folder.path("kept"), folder.path("other"))
    do {
      let locks = try [path, other].map { try FileLock($0, of: "the folder", purpose: "daemon") }
      for lock in locks {
        lock.tell(socket: "/run/daemon.sock")
        lock.keep()
      }
    }
    #expect(throws: FileError.self) { try FileLock(path, of: "the folder", purpose: "another") }
    #expect(FileLock.holder(of: path)?.socket == "/run/daemon.sock")
    // As the same program does that was started anew.
    let text = KeptLocks.handedOver()
    KeptLocks.takeOver([KeptLocks.variable: text.replacing("\(getpid()) ", with: "1 ", maxReplacements: 1)])
    #expect(throws: FileError.self, "meant for another process") {
      try FileLock(path, of: "the folder", purpose: "daemon")
    }
    KeptLocks.takeOver([KeptLocks.variable: text])
    do {
      let lock = try FileLock(path, of: "the folder", purpose: "daemon")
      // No one has seen it without its holder and socket.
      #expect(FileLock.holder(of: path)?.purpose == "daemon")
      #expect(FileLock.holder(of: path)?.socket == "/run/daemon.sock")
      withExtendedLifetime(lock) {}
    }
    #expect(!FileLock.isHeld(path))
    #expect(FileLock.isHeld(other))
    KeptLocks.dropRest()
    #expect(!FileLock.isHeld(other))
  }

  @Test(.enabled(if: geteuid() == 0)) func aLockThatRootMakesBelongsToTheOwnerOfTheFolder() throws {
    try #require(chown(folder.url.path, 65_534, 65_534) == 0)
    let path = folder.path("lock")
    _ = try FileLock(path, of: "the folder", purpose: "first")
    var status = stat()
    try #require(stat(path, &status) == 0)
    #expect(status.st_uid == 65_534)
    // A file that is there may be anything, such as a link to a file of root.
    try #require(chown(path, 0, 0) == 0)
    _ = try FileLock(path, of: "the folder", purpose: "second")
    try #require(stat(path, &status) == 0)
    #expect(status.st_uid == 0)
  }
}
