import FoundationEssentials
import Glibc
import SessionBase
import SessionCore
import SessionStorage

/// Looks at what a machine has to offer to the program: folders, space and a clock.
struct MachineCheckup: Sendable {
  let roots: StorageRoots
  let now: UInt64

  /// Below this nothing more can be relied on, in bytes.
  static let leastSpace: UInt64 = 20_000_000
  static let littleSpace: UInt64 = 200_000_000

  func findings() -> [Finding] { [folders(), space(), clock()] }

  private func folders() -> Finding {
    for path in [roots.data, roots.state, roots.cache, roots.config] {
      if let obstacle = Self.obstacle(in: path) { return obstacle }
    }
    return .ok("folders", "\(roots.data) and the other folders can be used")
  }

  /// The reason why a folder, or its parent, cannot be used.
  private static func obstacle(in path: String) -> Finding? {
    var status = stat()
    guard stat(path, &status) == 0 else {
      guard errno == ENOENT, path != "/" else {
        return unusable("\(path) cannot be looked at: \(String(cString: strerror(errno)))", path)
      }
      return obstacle(in: URL(filePath: path).deletingLastPathComponent().path)
    }
    guard status.st_mode & S_IFMT == S_IFDIR else { return unusable("\(path) is not a folder", path) }
    guard access(path, W_OK | X_OK) == 0 else { return unusable("you cannot write to \(path)", path) }
    let isOurs = path.hasSuffix("/" + StorageRoots.program)
    guard !isOurs || status.st_uid == geteuid() else {
      return unusable("\(path) belongs to another user", path)
    }
    guard !isOurs || status.st_mode & 0o022 == 0 else {
      return .failed(
        "folders", "others can write to \(path)", advice: "run: chmod 700 '\(path)'",
        .cannotCreate)
    }
    return nil
  }

  private static func unusable(_ text: String, _ path: String) -> Finding {
    .failed(
      "folders", text,
      advice:
        "Make yourself its owner, or choose other folders with XDG_DATA_HOME, XDG_STATE_HOME and so on.",
      .cannotCreate)
  }

  private func space() -> Finding {
    var (path, space) = (roots.data, statvfs())
    while statvfs(path, &space) != 0 {
      guard path != "/" else {
        return .failed("space", StorageError(.io, "cannot determine the free space of the disk"))
      }
      path = URL(filePath: path).deletingLastPathComponent().path
    }
    let (free, isTooLong) = UInt64(space.f_bavail).multipliedReportingOverflow(by: UInt64(space.f_frsize))
    return Self.space(free: isTooLong ? .max : free, in: path)
  }

  static func space(free: UInt64, in path: String) -> Finding {
    let text = "\(ByteCount.text(Int64(clamping: free))) free in \(path)"
    if free < leastSpace {
      return .failed("space", text, advice: "Free disk space: messages cannot be stored.", .io)
    }
    if free < littleSpace { return .warning("space", text, advice: "Free disk space soon.") }
    return .ok("space", text)
  }

  private func clock() -> Finding {
    let text = LocalTime.universal(Int64(clamping: now))
    guard now >= MachineClock.earliest else {
      return .failed(
        "clock", "it shows \(text), which is long past", advice: "Set the clock of this machine.", .system)
    }
    return .ok("clock", "it shows \(text)")
  }
}
