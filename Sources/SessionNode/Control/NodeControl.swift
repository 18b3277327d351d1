public import SessionCore
import SessionService

/// What lets other processes of the same user look at a node of theirs.
public final class NodeControl: Sendable {
  static let protocolName = "session-node"
  /// The reply to `leave`, and its acknowledgement.
  static let done = "done"
  static let heard = "heard"

  private let control: LocalControl

  /// Begins to listen, and writes down where. `ended` is called when the node has left its network because somebody
  /// asked for that, and has heard so.
  public init(
    _ service: NodeService, folder: String, ended: @escaping @Sendable () -> Void
  ) throws(SessionError) {
    control = try LocalControl(
      Self.protocolName, file: NodeFolder(path: folder).control,
      handlers: [
        "status": { _ in try LocalControl.text(of: await service.node.status()) },
        "leave": { text in
          try await service.leave(isForced: text == "forced")
          // The caller may have disconnected.
          Task {
            try? await Task.sleep(for: .seconds(5))
            ended()
          }
          return Self.done
        },
        Self.heard: { _ in
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

  /// Throws `notRunning` where none runs.
  public init(folder: String) throws {
    guard let remote = try LocalRemote(NodeControl.protocolName, file: NodeFolder(path: folder).control)
    else { throw ServiceFailure.notRunning(folder) }
    self.remote = remote
  }

  public func status() async throws -> NodeStatus {
    try await remote.value("status", as: NodeStatus.self)
  }

  /// Has the node hand over everything, leave its network, and end. Where that is forced, it leaves also what it could
  /// not hand over.
  public func leave(isForced: Bool = false) async throws {
    let answer = try await remote.send(
      "leave", isForced ? "forced" : "", timeout: NodeService.longestLeave)
    guard answer == NodeControl.done else {
      throw ServiceFailure.request("the node stopped before it had left")
    }
    // It ends by itself where it does not hear this.
    try? await remote.end(NodeControl.heard)
  }

  public func close() async { await remote.close() }
}
