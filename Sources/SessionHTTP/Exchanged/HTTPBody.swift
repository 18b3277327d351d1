import Synchronization

/// The body of a request, which arrives in pieces while it is read. It can be read once, by one reader.
public struct HTTPBody: Sendable {
  /// The declared length; nil if there is none.
  public let declaredLength: Int?
  private let read: @Sendable () async -> Result<[UInt8]?, HTTPError>
  /// Reserves memory for bytes that are kept.
  private let hold: @Sendable (Int) -> Bool

  init(
    declaredLength: Int?, read: @escaping @Sendable () async -> Result<[UInt8]?, HTTPError>,
    hold: @escaping @Sendable (Int) -> Bool = { _ in true }
  ) {
    self.declaredLength = declaredLength
    self.read = read
    self.hold = hold
  }

  /// A body that is complete.
  public init(_ bytes: [UInt8]) {
    let rest = BytesOnce(bytes)
    self.init(declaredLength: bytes.count, read: { .success(rest.take()) })
  }

  /// The same body, whose pieces a reader gets after `charge` has returned. While that waits, the peer waits too.
  public func charged(
    _ charge: @escaping @Sendable (_ bytes: Int) async throws(HTTPError) -> Void
  ) -> HTTPBody {
    HTTPBody(
      declaredLength: declaredLength,
      read: { [read] in
        let piece = await read()
        guard case .success(let bytes?) = piece else { return piece }
        do throws(HTTPError) { try await charge(bytes.count) } catch { return .failure(error) }
        return piece
      }, hold: hold)
  }

  /// The next piece; nil at the end. Throws `tooLarge` once there is more than the server takes, `peerGone`,
  /// `cancelled` and `stopped`.
  public func next() async throws(HTTPError) -> [UInt8]? { try await read().get() }

  /// The whole body. Throws `tooLarge` beyond `limit`, `busy` if the server holds too much already, and the errors
  /// of `next()`.
  public func collect(upTo limit: Int) async throws(HTTPError) -> [UInt8] {
    guard declaredLength ?? 0 <= limit else { throw .tooLarge }
    var bytes: [UInt8] = []
    while let piece = try await next() {
      guard bytes.count + piece.count <= limit else { throw .tooLarge }
      guard hold(piece.count) else { throw .busy }
      if bytes.isEmpty { bytes = piece } else { bytes += piece }
    }
    return bytes
  }
}

private final class BytesOnce: Sendable {
  private let bytes: Mutex<[UInt8]?>

  init(_ bytes: [UInt8]) { self.bytes = Mutex(bytes.isEmpty ? nil : bytes) }

  func take() -> [UInt8]? { bytes.withLock { $0.take() } }
}
