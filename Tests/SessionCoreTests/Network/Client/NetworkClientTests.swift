import SessionCore
import SessionNetworking
import Testing

/// A client of a network of real nodes on loopback. One test at a time: each starts several endpoints.
@Suite(.serialized, .timeLimit(.minutes(5))) enum NetworkClientTests {
  typealias Body = (_ nodes: LoopbackNetwork, _ client: Network) async throws -> Void

  /// Runs a test with nodes and a client that has started, and stops them.
  static func onLoopback(
    _ count: Int = 5, swarms: [UInt64] = [5], maxRequests: Int? = nil,
    body: Body
  ) async throws {
    let nodes = try LoopbackNetwork(count, swarms: swarms)
    var options = nodes.options()
    options.maxRequests = maxRequests ?? options.maxRequests
    let client = try Network(options)
    try await client.start()
    let result: Result<Void, any Error>
    do {
      result = .success(try await body(nodes, client))
    } catch {
      result = .failure(error)
    }
    await client.stop()
    await nodes.stop()
    try result.get()
  }

  /// The failure of a request.
  static func failure<R: Sendable>(_ body: () async throws -> R) async -> SessionError? {
    do {
      _ = try await body()
      return nil
    } catch {
      return error as? SessionError
    }
  }
}

extension SessionError {
  /// The kind of failure that the caller sees.
  var kind: NetworkFailure.Kind { NetworkFailure(self).kind }
}
