import SessionBase

/// Reads a connection line by line.
struct LineReader: ~Copyable {
  struct Line: Sendable {
    /// Without its end.
    let bytes: [UInt8]
    /// The descriptors that came with its bytes, in order.
    let files: [PassedFile]
  }

  /// A line is longer than the limit, or has too many descriptors; the connection cannot be read any further.
  struct LineTooLong: Error {}

  /// The most descriptors that may wait for their line.
  private static let maxFiles = 32

  private let socket: StreamSocket
  private let limit: Int
  private var buffer: [UInt8] = []
  /// Where the next line begins.
  private var start = 0
  /// Where the search for its end continues.
  private var searched = 0
  /// Each with the place of the last byte that was read with it: the system never joins bytes that follow.
  private var files: [(place: Int, file: PassedFile)] = []
  private var isOver = false

  init(_ socket: StreamSocket, limit: Int) {
    self.socket = socket
    self.limit = limit
  }

  /// The next line that is not empty; nil at the end. A last line needs no end.
  mutating func next() async throws -> Line? {
    while true {
      if let end = buffer[searched...].firstIndex(of: UInt8(ascii: "\n")) {
        let line = taking(upTo: end)
        (start, searched) = (end + 1, end + 1)
        if let line { return line }
        continue
      }
      guard buffer.count - start <= limit else { throw LineTooLong() }
      if isOver {
        defer { (buffer, start, searched) = ([], 0, 0) }
        return taking(upTo: buffer.count)
      }
      dropRead()
      guard let piece = try await socket.read() else {
        isOver = true
        continue
      }
      buffer += piece.bytes
      files += piece.descriptors.map { (buffer.count - 1, $0) }
      guard files.count <= Self.maxFiles else { throw LineTooLong() }
      // A client that floods lines leaves the thread to others.
      await Task.yield()
    }
  }

  /// What was read behind the lines that were returned.
  var unread: [UInt8] { Array(buffer[start...]) }

  /// Drops the lines that were returned.
  private mutating func dropRead() {
    buffer.removeFirst(start)
    files = files.map { ($0.place - start, $0.file) }
    (start, searched) = (0, buffer.count)
  }

  /// The line that ends at a place, with its descriptors.
  private mutating func taking(upTo end: Int) -> Line? {
    let own = files.filter { $0.place <= end }.map(\.file)
    files.removeAll { $0.place <= end }
    let line = buffer[start..<end]
    let bytes = line.last == UInt8(ascii: "\r") ? line.dropLast() : line
    return bytes.isEmpty ? nil : Line(bytes: Array(bytes), files: own)
  }
}
