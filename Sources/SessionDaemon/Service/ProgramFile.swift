import Glibc
import SessionBase

/// The file of this program, which a newer version may replace while it runs.
package struct ProgramFile: Sendable {
  /// Tells versions of the file from each other.
  private struct Version: Hashable {
    let device: UInt
    let inode: UInt
    let size: Int
    let seconds: Int
    let nanoseconds: Int
  }

  package let path: String
  /// As the program was started.
  private let started: Version
  /// Called at each look at the file.
  var hearLook: @Sendable () -> Void = {}

  /// Nil where the system does not tell which file it is.
  package init?() {
    guard let real = realpath("/proc/self/exe", nil) else { return nil }
    defer { free(real) }
    self.init(String(cString: real))
  }

  /// A file as it is now; nil if there is none.
  init?(_ path: String) {
    self.path = path
    guard let version = Self.version(of: path) else { return nil }
    started = version
  }

  private static func version(of path: String) -> Version? {
    var status = stat()
    guard stat(path, &status) == 0, status.st_mode & S_IFMT == S_IFREG, access(path, X_OK) == 0 else {
      return nil
    }
    return Version(
      device: UInt(status.st_dev), inode: UInt(status.st_ino), size: Int(status.st_size),
      seconds: status.st_mtim.tv_sec, nanoseconds: status.st_mtim.tv_nsec)
  }

  /// How often the file is looked at, and how long no call may be under way before it is used.
  private static let pause = Duration.seconds(5)
  /// A version that could not be used may be usable later, as when a mistake in the settings was corrected.
  private static let pauseAfterFailure = Duration.seconds(60)
  /// How long a new version may take to say which one it is.
  private static let trialTime = Duration.seconds(20)

  /// Returns when another version has replaced the file, can be started, and no call is under way; or when the task is
  /// cancelled. `refuse` hears once why a version that is there is not used; it is tried again, less often.
  package func untilReplaced(
    lookingEvery pause: Duration = pause, tryingAgainAfter longPause: Duration = pauseAfterFailure,
    noCallSince: @Sendable () async -> ContinuousClock.Instant?,
    checking check: @Sendable () async throws -> Void, refuse: @Sendable (any Error) -> Void
  ) async {
    var (seen, refused, tried): (Version?, Version?, Version?)
    var nextTry = ContinuousClock.now
    while (try? await Task.sleep(for: pause)) != nil {
      let version = Self.version(of: path)
      hearLook()
      // A file that is being written changes once more.
      let isWhole = version == seen
      seen = version
      guard let version, version != started, isWhole, version != refused || nextTry <= .now,
        Self.isOver(pause, since: await noCallSince())
      else { continue }
      do {
        try await check()
        if version != tried { try await runTrial() }
        tried = version
        // The trial takes time: a call may have begun, or another version may have come.
        if Self.isOver(pause, since: await noCallSince()), version == Self.version(of: path) { return }
      } catch {
        if Task.isCancelled { return }
        if version != refused { refuse(error) }
        refused = version
        nextTry = .now + longPause
      }
    }
  }

  private static func isOver(_ pause: Duration, since begin: ContinuousClock.Instant?) -> Bool {
    begin.map { $0 + pause <= .now } ?? false
  }

  /// Runs the file, which has to say its version: one that is damaged, or for another machine, does not.
  private func runTrial() async throws {
    let process = HookProcess(
      program: HookProgram(path: path), command: [path, "version"], environment: [:], folder: "/",
      timeout: Self.trialTime, log: HookLog("/dev/null"))
    let outcome = try await WorkerQueue("session.program").run {
      try process.run(input: [], stop: HookStop())
    }
    guard outcome.ending == .exited(0) else { throw Unusable() }
  }

  /// Why a new version is not started.
  package struct Unusable: Error, CustomStringConvertible {
    package let description = "the new version of the program cannot be run"
  }
}
