import Folders
import Foundation
import Synchronization
import Testing

@testable import SessionDaemon

/// The file of a program that another version replaces.
@Suite(.timeLimit(.minutes(1))) struct ProgramFileTests {
  private let folder: TemporaryFolder
  private let path: String
  private static let pause = Duration.milliseconds(1)
  private static let good = "#!/bin/sh\n[ \"$1\" = version ]\n"

  init() throws {
    folder = try TemporaryFolder()
    path = folder.path("program")
    try write(Self.good)
  }

  /// Replaces the file in one step, as package managers do.
  private func write(_ text: String, mode: Int = 0o700) throws {
    let new = path + ".new"
    try Data(text.utf8).write(to: URL(filePath: new))
    try FileManager.default.setAttributes([.posixPermissions: mode], ofItemAtPath: new)
    #expect(rename(new, path) == 0)
  }

  private func file() throws -> ProgramFile { try #require(ProgramFile(path)) }

  @Test func aNewVersionIsNoticedWhenNoCallIsUnderWay() async throws {
    let file = try file()
    let statistics = CallStatistics()
    let work = statistics.begin()
    let looks = Mutex(0)
    let (looked, looking) = AsyncStream.makeStream(of: Int.self)
    let waiting = Task {
      await file.untilReplaced(lookingEvery: Self.pause) {
        looking.yield(
          looks.withLock {
            $0 += 1
            return $0
          })
        return statistics.idleSince
      } checking: {
      } refuse: {
        Issue.record("\($0)")
      }
      return statistics.idleSince != nil
    }
    try write(Self.good + "# newer\n")
    var all = looked.makeAsyncIterator()
    while let count = await all.next(), count < 5 {}
    // A call that only waits for events is no reason to wait.
    work.end()
    #expect(await waiting.value)
  }

  @Test func theSameFileIsNoNewVersion() async throws {
    let file = try file()
    let waiting = Task {
      await file.untilReplaced(lookingEvery: Self.pause) {
        Issue.record("nothing was replaced")
        return nil
      } checking: {
      } refuse: { _ in
      }
    }
    // The file may be away for a moment.
    try FileManager.default.moveItem(atPath: path, toPath: path + ".away")
    for _ in 0..<100 { await Task.yield() }
    try FileManager.default.moveItem(atPath: path + ".away", toPath: path)
    waiting.cancel()
    await waiting.value
  }

  @Test(arguments: ["no program", "#!/bin/sh\nexit 1\n"])
  func aVersionThatCannotBeRunIsRefusedOnce(_ text: String) async throws {
    let file = try file()
    let (refused, refusing) = AsyncStream.makeStream(of: String.self)
    let waiting = Task {
      await file.untilReplaced(lookingEvery: Self.pause) {
        .now - .seconds(60)
      } checking: {
      } refuse: {
        refusing.yield("\($0)")
      }
    }
    try write(text)
    var all = refused.makeAsyncIterator()
    #expect(await all.next() != nil)
    // The next one is good.
    try write(Self.good + "# newest\n")
    await waiting.value
    refusing.finish()
    #expect(await all.next() == nil)
  }

  @Test func aMistakeInTheSettingsKeepsTheOldVersion() async throws {
    struct Mistake: Error {}
    let file = try file()
    let (refused, refusing) = AsyncStream.makeStream(of: Bool.self)
    let waiting = Task {
      await file.untilReplaced(lookingEvery: Self.pause) {
        .now - .seconds(60)
      } checking: {
        throw Mistake()
      } refuse: {
        refusing.yield($0 is Mistake)
      }
    }
    try write(Self.good + "# newer\n")
    var all = refused.makeAsyncIterator()
    #expect(await all.next() == true)
    waiting.cancel()
    await waiting.value
  }
}
