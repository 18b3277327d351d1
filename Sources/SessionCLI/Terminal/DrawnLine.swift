extension CommandIO {
  /// Does something, and meanwhile draws a line on the terminal of standard error, again for whatever is told, or given to
  /// `draw`; where there is no terminal nothing is drawn. `line` gives the first one for nil, and nil to leave the last one
  /// there. Nothing of it is left in the end.
  func drawing<Told: Sendable, R: Sendable>(
    _ told: AsyncStream<Told>, _ line: @escaping @Sendable (_ told: Told?, _ width: Int) -> String?,
    during work: (_ draw: (Told) -> Void) async throws -> R
  ) async throws -> R {
    guard messageColumns() != nil else { return try await work { _ in } }
    @Sendable func draw(_ told: Told?) {
      // The last column stays empty: some terminals begin a new line behind it.
      guard let columns = messageColumns(), let line = line(told, columns - 1) else { return }
      self.draw("\r\(line)\u{1B}[K")
    }
    draw(nil)
    let drawing = Task { for await told in told { draw(told) } }
    let result: Result<R, any Error>
    do { result = .success(try await work { draw($0) }) } catch { result = .failure(error) }
    drawing.cancel()
    await drawing.value
    self.draw("\r\u{1B}[K")
    return try result.get()
  }
}
