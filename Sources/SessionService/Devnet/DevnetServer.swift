public import SessionCore

/// A server of a devnet that its nodes forward requests to.
public protocol DevnetServer: Sendable {
  /// Where clients find it.
  var service: NetworkService { get }
  /// What it keeps, in a few words.
  func summary() async -> String
  func stop() async
}

/// A kind of server that a devnet may have.
public struct DevnetServerKind: Sendable {
  /// What the list of the network calls it: see ``NetworkFile/services``.
  public let name: String
  /// Begins one that keeps its state in a folder, and listens at an address.
  public let begin: @Sendable (_ folder: String, _ address: NetworkAddress) async throws -> any DevnetServer

  public init(
    name: String,
    begin: @escaping @Sendable (_ folder: String, _ address: NetworkAddress) async throws -> any DevnetServer
  ) {
    (self.name, self.begin) = (name, begin)
  }
}
