public import SessionHTTP

/// A request as the handler of its route sees it.
public struct Visit: Sendable {
  public let request: HTTPRequest
  /// The parts of the path that have names in the pattern of the route.
  public let parameters: [String: String]
  /// The key that has signed the request, without its prefix; nil where none has.
  public let signer: [UInt8]?

  /// The whole body. Throws 413 where it is longer than `limit`, and 400 where it does not arrive.
  public func body(upTo limit: Int) async throws(ServerRefusal) -> [UInt8] {
    do throws(HTTPError) { return try await request.body.collect(upTo: limit) } catch {
      throw ServerRefusal(error)
    }
  }
}
