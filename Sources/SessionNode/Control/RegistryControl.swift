public import SessionCore
import SessionService

/// Lets other processes of the same user inspect their registry.
public final class RegistryControl: Sendable {
  static let protocolName = "session-registry"

  private let control: LocalControl

  public init(_ registry: Registry, folder: String) throws(SessionError) {
    control = try LocalControl(
      Self.protocolName, file: RegistryFolder(path: folder).control,
      handlers: [
        "status": { _ in try LocalControl.text(of: await registry.status()) },
        "confirm": { _ in "\(try await registry.confirmAllowed())" },
      ])
  }

  public func stop() async { await control.stop() }
}

/// A registry of another process.
public struct RegistryControlRemote: Sendable {
  private let remote: LocalRemote

  /// Throws `notRunning` where none has begun.
  public init(folder: String) throws {
    guard
      let remote = try LocalRemote(
        RegistryControl.protocolName, file: RegistryFolder(path: folder).control)
    else { throw ServiceFailure.notRunning(folder) }
    self.remote = remote
  }

  public func status() async throws -> RegistryStatus {
    try await remote.value("status", as: RegistryStatus.self)
  }

  /// Has the registry believe the list of allowed nodes, however many it lacks; returns how many nodes go.
  public func confirm() async throws -> Int { Int(try await remote.send("confirm")) ?? 0 }

  public func close() async { await remote.close() }
}
