import Glibc
import SessionBase

/// Reads the log of this user's programs, oldest line first, as far as it is written.
struct LogReader: Sendable {
  private let folder: LogFolder
  /// The file that is being read, known by its number, which a new name does not change.
  private var current: (file: OpenFile, number: UInt64, path: String)?
  /// The beginning of a line whose end is not written yet.
  private var rest: [UInt8] = []

  private static let piece = 64 << 10

  init(_ folder: LogFolder) { self.folder = folder }

  /// The next lines; none if there are no more now. Lines of other programs are passed over.
  mutating func next() throws(FileError) -> [LogRecord] {
    while true {
      if let file = current?.file {
        let bytes = try file.read(upTo: Self.piece)
        guard bytes.isEmpty else { return take(bytes) }
      }
      guard try openNext() else { return [] }
    }
  }

  private mutating func take(_ bytes: [UInt8]) -> [LogRecord] {
    var lines = (rest + bytes).split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false)
    rest = Array(lines.removeLast().prefix(Self.piece))
    return lines.compactMap { LogRecord($0) }
  }

  /// Opens the file after the current one. False if there is none.
  private mutating func openNext() throws(FileError) -> Bool {
    let files = try folder.files()
    var index = 0
    if let current {
      // Where it was deleted or replaced, that day's other files and later ones come next.
      index =
        files.firstIndex { Self.number(of: $0) == current.number }.map { $0 + 1 }
        ?? files.firstIndex { folder.isSameDayOrLater($0, than: current.path) } ?? files.count
    }
    guard index < files.count, let number = Self.number(of: files[index]) else { return false }
    current = (try OpenFile(reading: files[index]), number, files[index])
    rest = []
    return true
  }

  private static func number(of file: String) -> UInt64? {
    var status = stat()
    return stat(file, &status) == 0 ? UInt64(status.st_ino) : nil
  }
}
