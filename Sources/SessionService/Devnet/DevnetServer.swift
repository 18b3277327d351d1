public import SessionCore

/// A server of a devnet that its nodes forward requests to.
public protocol DevnetServer: Sendable {
  /// Its URL and key for clients.
  var service: NetworkService { get }
  /// A short description of what it stores.
  func summary() async -> String
  func stop() async
}

/// A kind of server that a devnet may have.
public struct DevnetServerKind: Sendable {
  /// Its name in the network file: see ``NetworkFile/services``.
  public let name: String
  /// Starts a server with its state in a folder, listening at an address.
  public let begin: @Sendable (_ folder: String, _ address: NetworkAddress) async throws -> any DevnetServer

  public init(
    name: String,
    begin: @escaping @Sendable (_ folder: String, _ address: NetworkAddress) async throws -> any DevnetServer
  ) {
    (self.name, self.begin) = (name, begin)
  }
}
