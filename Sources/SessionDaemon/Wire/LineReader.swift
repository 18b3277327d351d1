import SessionBase

/// Reads a connection line by line.
struct LineReader: ~Copyable {
  struct Line: Sendable {
    /// Without its end.
    let bytes: [UInt8]
    /// The descriptors that came with its bytes, in order.
    let files: [PassedFile]
  }

  /// A line is longer than the limit; the connection cannot be read any further.
  struct LineTooLong: Error {}

  private let socket: UnixSocket
  private let limit: Int
  private var buffer: [UInt8] = []
  /// Where the search for the end of the line goes on.
  private var searched = 0
  private var files: [PassedFile] = []
  private var isOver = false

  init(_ socket: UnixSocket, limit: Int) {
    self.socket = socket
    self.limit = limit
  }

  /// The next line that is not empty; nil at the end. A last line needs no end.
  mutating func next() async throws -> Line? {
    while true {
      if let end = buffer[searched...].firstIndex(of: UInt8(ascii: "\n")) {
        let line = taking(buffer[..<end])
        buffer.removeFirst(end + 1)
        searched = 0
        if let line { return line }
        continue
      }
      searched = buffer.count
      guard buffer.count <= limit else { throw LineTooLong() }
      if isOver {
        defer { (buffer, searched) = ([], 0) }
        return taking(buffer[...])
      }
      guard let piece = try await socket.read() else {
        isOver = true
        continue
      }
      buffer += piece.bytes
      files += piece.descriptors
    }
  }

  private mutating func taking(_ line: ArraySlice<UInt8>) -> Line? {
    let bytes = line.last == UInt8(ascii: "\r") ? line.dropLast() : line
    guard !bytes.isEmpty else { return nil }
    defer { files = [] }
    return Line(bytes: Array(bytes), files: files)
  }
}
