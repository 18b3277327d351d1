import FoundationEssentials
import Glibc
import SessionBase
import SessionStorage

/// The files of the log of this user's programs: one for each day, and an older one for days with much to tell.
struct LogFolder: Sendable {
  let path: String

  /// The days that are kept by default, and the bytes of all files.
  static let days = 3
  static let maxTotal = 15 << 20
  /// The size at which the file of a day becomes its older one.
  static let maxFile = 5 << 20

  private static let (beginning, end) = ("session-", ".jsonl")

  init(in roots: StorageRoots) { path = "\(roots.state)/log" }

  /// The file for events of a time, in milliseconds since 1970.
  func file(at time: Int64) -> String { "\(path)/\(Self.beginning)\(Self.day(of: time))\(Self.end)" }

  /// The older part of a file.
  static func older(_ file: String) -> String { "\(file).1" }

  /// All files, oldest first.
  func files() throws(FileError) -> [String] {
    try Folder.names(in: path).filter { $0.hasPrefix(Self.beginning) && $0.contains(Self.end) }
      // The older part of a day stands before the newer one.
      .sorted { (Self.stem($0), $1.count) < (Self.stem($1), $0.count) }
      .map { "\(path)/\($0)" }
  }

  /// Deletes the files of days that are over, and what leaves no room for one more file.
  func prune(at time: Int64, keeping days: Int = days) {
    guard var files = try? files() else { return }
    let oldest = Self.day(of: time - Int64(days - 1) * 86_400_000)
    var total = files.reduce(0) { $0 + Self.size(of: $1) }
    while let file = files.first {
      let day = Self.stem(name(of: file)).dropFirst(Self.beginning.count)
      guard day < oldest || total > Self.maxTotal - Self.maxFile else { return }
      total -= Self.size(of: file)
      unlink(file)
      files.removeFirst()
    }
  }

  /// True for a file of the same day as another one, or of a later day.
  func isSameDayOrLater(_ file: String, than other: String) -> Bool {
    Self.stem(name(of: file)) >= Self.stem(name(of: other))
  }

  private func name(of file: String) -> String { String(file.dropFirst(path.count + 1)) }

  private static func stem(_ name: String) -> Substring { name.prefix { $0 != "." } }

  /// Such as 20261127, in Greenwich.
  private static func day(of time: Int64) -> String {
    Date(timeIntervalSince1970: Double(time / 1000)).formatted(.iso8601).prefix(10)
      .filter { $0 != ("-" as Character) }
  }

  static func size(of file: String) -> Int {
    var status = stat()
    return stat(file, &status) == 0 ? Int(status.st_size) : 0
  }
}
