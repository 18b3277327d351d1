import SessionBase

/// Reads the requests of a connection, one after the other.
struct HTTPReader: ~Copyable {
  /// How long a head may take, and a body.
  static let headTime = Duration.seconds(10)
  static let bodyTime = Duration.seconds(30)

  private let socket: StreamSocket
  private var buffer: [UInt8] = []

  init(_ socket: StreamSocket) { self.socket = socket }

  /// The next head; nil at the end. Throws a refusal for one that is too long, malformed, or too late.
  mutating func head() async throws -> HTTPHead? {
    let end: [UInt8] = [13, 10, 13, 10]
    let most = HTTPHead.maxLine + HTTPHead.maxHeaders + end.count
    let deadline = ContinuousClock.now + Self.headTime
    var searched = 0
    while true {
      if let place = Self.place(of: end, in: buffer, from: searched) {
        let head = buffer[..<place]
        let rest = Array(buffer[(place + end.count)...])
        defer { buffer = rest }
        return try HTTPHead(parsing: head)
      }
      // The first line has a limit of its own.
      let lineEnd = buffer.firstIndex(of: 10) ?? buffer.count
      guard lineEnd <= HTTPHead.maxLine + 2, buffer.count <= most else { throw HTTPRefusal(431) }
      searched = max(0, buffer.count - end.count)
      let piece: [UInt8]?
      do { piece = try await self.piece(by: deadline) } catch let late as HTTPRefusal {
        // A connection between two requests ends silently.
        if buffer.isEmpty { return nil }
        throw late
      }
      guard let piece else {
        if buffer.isEmpty { return nil }
        throw HTTPRefusal.malformed
      }
      buffer += piece
    }
  }

  /// The body of the request whose head was read.
  mutating func body(_ length: Int) async throws -> [UInt8] {
    var body: [UInt8] = []
    try await self.body(length) { body += $0 }
    return body
  }

  /// The body of the request whose head was read, as it comes.
  mutating func body(_ length: Int, _ take: ([UInt8]) async throws -> Void) async throws {
    let deadline = ContinuousClock.now + Self.bodyTime
    var rest = length
    while rest > 0 {
      if buffer.isEmpty {
        guard let piece = try await piece(by: deadline) else { throw HTTPRefusal.malformed }
        buffer = piece
      }
      let piece = Array(buffer.prefix(rest))
      buffer.removeFirst(piece.count)
      rest -= piece.count
      try await take(piece)
    }
  }

  /// Puts back what was read from the socket behind the request.
  mutating func putBack(_ bytes: [UInt8]) { buffer += bytes }

  /// The next bytes; nil at the end. Throws a refusal when they come too late.
  private func piece(by deadline: ContinuousClock.Instant) async throws -> [UInt8]? {
    let rest = deadline - .now
    guard rest > .zero,
      let piece = try await withinTime(rest, { [socket] in try await socket.read()?.bytes ?? [] })
    else { throw HTTPRefusal(408) }
    return piece.isEmpty ? nil : piece
  }

  private static func place(of pattern: [UInt8], in bytes: [UInt8], from start: Int) -> Int? {
    guard bytes.count >= pattern.count, start <= bytes.count - pattern.count else { return nil }
    return (start...(bytes.count - pattern.count)).first {
      bytes[$0..<($0 + pattern.count)].elementsEqual(pattern)
    }
  }
}
