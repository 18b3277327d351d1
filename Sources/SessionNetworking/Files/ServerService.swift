public import SessionCore

/// Calls to servers. ``NetworkServers`` implements them with a network.
public protocol ServerService: Sendable {
  /// Sends a request to a server, and returns its response, whatever its status is.
  func send(
    _ request: ServerRequest, to server: OnionServer, _ delivery: Network.Delivery
  ) async throws(NetworkFailure) -> ServerResponse
}

/// Calls servers through the last hop of a path.
public struct NetworkServers: ServerService {
  private let network: Network

  public init(_ network: Network) {
    self.network = network
  }

  public func send(
    _ request: ServerRequest, to server: OnionServer, _ delivery: Network.Delivery
  ) async throws(NetworkFailure) -> ServerResponse {
    do throws(SessionError) {
      return try await network.send(request, to: server, delivery)
    } catch {
      throw NetworkFailure(error)
    }
  }
}
