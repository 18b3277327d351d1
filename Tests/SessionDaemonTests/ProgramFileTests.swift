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

  /// Replaces the file in one step, as package managers do. Another process writes it: a program that another
  /// test starts meanwhile would inherit this process' descriptor, and a file that is open for writing cannot be
  /// run.
  private func write(_ text: String) throws {
    let new = path + ".new"
    let writing = HookProcess(
      program: HookProgram(path: "/bin/sh"), command: ["sh", "-c", "cat > '\(new)' && chmod 700 '\(new)'"],
      environment: ["PATH": "/usr/bin:/bin"], folder: "/", timeout: .seconds(60), log: HookLog("/dev/null"))
    let outcome = try writing.run(input: Array(text.utf8), stop: HookStop())
    try #require(outcome.ending == .exited(0))
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
    var file = try file()
    let looks = Mutex(0)
    let (looked, looking) = AsyncStream.makeStream(of: Int.self)
    file.hearLook = {
      looking.yield(
        looks.withLock {
          $0 += 1
          return $0
        })
    }
    let waiting = Task { [file] in
      await file.untilReplaced(lookingEvery: Self.pause) {
        Issue.record("nothing was replaced")
        return nil
      } checking: {
      } refuse: { _ in
      }
    }
    var all = looked.makeAsyncIterator()
    let away = path + ".away"
    // The file may be away for a moment.
    for (before, after) in [(path, path), (path, away), (away, path)] {
      if before != after { try FileManager.default.moveItem(atPath: before, toPath: after) }
      // Two looks that find the same tell that a file is whole.
      let last = looks.withLock { $0 } + 4
      while let count = await all.next(), count < last {}
    }
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

  @Test func aVersionThatWasRefusedIsUsedWhenTheCauseIsGone() async throws {
    struct Mistake: Error {}
    let file = try file()
    let checks = Mutex(0)
    let refusals = Mutex(0)
    try write(Self.good + "# newer\n")
    await file.untilReplaced(lookingEvery: Self.pause, tryingAgainAfter: Self.pause) {
      .now - .seconds(60)
    } checking: {
      let count = checks.withLock {
        $0 += 1
        return $0
      }
      if count < 3 { throw Mistake() }
    } refuse: { _ in
      refusals.withLock { $0 += 1 }
    }
    #expect(checks.withLock { $0 } == 3)
    #expect(refusals.withLock { $0 } == 1)
  }

  @Test func aCallThatBeginsDuringTheTrialIsWaitedFor() async throws {
    let file = try file()
    let trials = folder.path("trials")
    try write("#!/bin/sh\necho trial >> '\(trials)'\n")
    let looks = Mutex(0)
    await file.untilReplaced(lookingEvery: Self.pause) {
      let look = looks.withLock {
        $0 += 1
        return $0
      }
      if look == 2 { return nil }
      return .now - .seconds(60)
    } checking: {
    } refuse: {
      Issue.record("\($0)")
    }
    // Before and after the trial, and then twice without another one.
    #expect(looks.withLock { $0 } == 4)
    #expect(try String(contentsOfFile: trials, encoding: .utf8) == "trial\n")
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
