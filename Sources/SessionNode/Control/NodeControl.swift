public import SessionCore

/// What lets other processes of the same user look at a node of theirs.
public final class NodeControl: Sendable {
  static let protocolName = "session-node"

  private let control: LocalControl

  /// Begins to listen, and writes down where. `ended` is called when the node has left its network because somebody
  /// asked for that.
  public init(
    _ service: NodeService, folder: String, ended: @escaping @Sendable () -> Void
  ) throws(SessionError) {
    control = try LocalControl(
      Self.protocolName, file: NodeFolder(path: folder).control,
      handlers: [
        "status": { _ in try LocalControl.text(of: await service.node.status()) },
        "leave": { _ in
          try await service.leave()
          ended()
          return ""
        },
      ])
  }

  public func stop() async { await control.stop() }
}

/// A node of another process.
public struct NodeRemote: Sendable {
  private let remote: LocalRemote

  /// Throws `notRunning` where none has begun.
  public init(folder: String) throws {
    guard let remote = try LocalRemote(NodeControl.protocolName, file: NodeFolder(path: folder).control)
    else { throw NodeFailure.notRunning(folder) }
    self.remote = remote
  }

  public func status() async throws -> NodeStatus {
    try await remote.value("status", as: NodeStatus.self)
  }

  /// Has the node hand over everything, leave its network, and end.
  public func leave() async throws {
    try await remote.end("leave", timeout: NodeService.longGrace + NodeService.grace * 3)
  }

  public func close() async { await remote.close() }
}
