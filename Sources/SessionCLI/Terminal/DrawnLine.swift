import Synchronization

/// The line that a command draws on the terminal of standard error. What is written to the terminal takes its place.
final class DrawnLine: Sendable {
  private static let clearing = "\r\u{1B}[K"

  private let io: CommandIO
  private let isThere = Mutex(false)

  init(_ io: CommandIO) { self.io = io }

  func draw(_ text: String) {
    isThere.withLock { isThere in
      io.draw("\r\(text)\u{1B}[K")
      isThere = true
    }
  }

  /// Clears the line and writes something where it was. Nothing is drawn meanwhile, so that a message never follows the
  /// line on the same row.
  func replace(_ write: () throws -> Void) rethrows {
    try isThere.withLock { isThere in
      if isThere { io.draw(Self.clearing) }
      isThere = false
      try write()
    }
  }

  func clear() { replace {} }
}

extension CommandIO {
  /// Runs work while drawing a line on the terminal of standard error, again for each value of the stream or of `draw`.
  /// Draws nothing without a terminal. `line` returns the first line for nil, and nil to keep the last one. The line is
  /// erased at the end. Work that writes to the terminal passes its own `place`.
  func drawing<Told: Sendable, R: Sendable>(
    _ told: AsyncStream<Told>, _ line: @escaping @Sendable (_ told: Told?, _ width: Int) -> String?,
    at place: DrawnLine? = nil, during work: (_ draw: (Told) -> Void) async throws -> R
  ) async throws -> R {
    guard messageColumns() != nil else { return try await work { _ in } }
    let place = place ?? DrawnLine(self)
    @Sendable func draw(_ told: Told?) {
      // The last column stays empty: some terminals begin a new line behind it.
      guard let columns = messageColumns(), let line = line(told, columns - 1) else { return }
      place.draw(line)
    }
    draw(nil)
    let drawing = Task { for await told in told { draw(told) } }
    let result: Result<R, any Error>
    do { result = .success(try await work { draw($0) }) } catch { result = .failure(error) }
    drawing.cancel()
    await drawing.value
    place.clear()
    return try result.get()
  }
}
