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
  private let account: Network.LocalAccount

  public init(_ network: Network, for account: Network.LocalAccount = Network.LocalAccount()) {
    self.network = network
    self.account = account
  }

  public func send(
    _ request: ServerRequest, to server: OnionServer, _ delivery: Network.Delivery
  ) async throws(NetworkFailure) -> ServerResponse {
    var delivery = delivery
    delivery.account = account
    do throws(SessionError) {
      return try await network.send(request, to: server, delivery)
    } catch {
      throw NetworkFailure(error)
    }
  }
}
