import SessionCore
import SessionService

/// Lets other processes of the same user inspect their file server.
public final class FileServerControl: Sendable {
  static let protocolName = "session-file-server"

  private let control: LocalControl

  /// Starts listening, and writes its address.
  public init(_ server: FileServer, folder: String) throws {
    control = try LocalControl(
      Self.protocolName, file: FileServerFolder(path: folder).control,
      handlers: ["status": { _ in try LocalControl.text(of: await server.status()) }])
  }

  public func stop() async { await control.stop() }
}

/// A file server of another process.
public struct FileServerRemote: Sendable {
  private let remote: LocalRemote

  /// Throws `ServiceFailure.notRunning` where none has begun.
  public init(folder: String) throws {
    guard
      let remote = try LocalRemote(
        FileServerControl.protocolName, file: FileServerFolder(path: folder).control)
    else { throw ServiceFailure.notRunning(folder) }
    self.remote = remote
  }

  public func status() async throws -> FileServerStatus {
    try await remote.value("status", as: FileServerStatus.self)
  }

  public func close() async { await remote.close() }
}
