public import SessionCore
import SessionService

/// Lets other processes of the same user inspect and control their node.
public final class NodeControl: Sendable {
  static let protocolName = "session-node"
  /// The reply to `leave`, and its acknowledgement.
  static let done = "done"
  static let heard = "heard"

  private let control: LocalControl

  /// Starts listening, and writes its address. `ended` is called after the node has left its network by request and
  /// has replied.
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

  /// Retires the node: it hands everything over, leaves its network, and ends. If forced, it leaves even if
  /// messages could not be handed over.
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
