/// Content in pieces, and perhaps a failure at the end.
struct Pieces: AsyncSequence, AsyncIteratorProtocol {
  struct Failure: Error {}

  var pieces: [[UInt8]]
  var fails = false

  mutating func next() async throws -> [UInt8]? {
    guard pieces.isEmpty else { return pieces.removeFirst() }
    if fails { throw Failure() }
    return nil
  }

  func makeAsyncIterator() -> Pieces { self }
}
