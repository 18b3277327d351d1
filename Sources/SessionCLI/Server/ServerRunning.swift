import SessionBase
import SessionCore
import SessionServers

/// A server that a command runs in this process.
protocol CommandServer: Sendable {
  /// Lets replies in progress end, for as long as `grace`, then stops.
  func stop(grace: Duration) async
}

/// The socket over which other commands reach a server on this machine.
protocol CommandServerControl: Sendable {
  func stop() async
}

extension FileServer: CommandServer {}
extension FileServerControl: CommandServerControl {}
extension CommunityServer: CommandServer {}
extension CommunityControl: CommandServerControl {}

/// Runs a server and its control socket until the task is cancelled.
func runUntilCancelled<Server: CommandServer, Control: CommandServerControl>(
  open: @escaping @Sendable () throws -> Server, control: @escaping @Sendable (Server) throws -> Control
) async throws -> CommandOutput {
  let opening = WorkerQueue("session.server.opening")
  let server = try await opening.run { try open() }
  let (ends, ending) = AsyncStream.makeStream(of: Never.self)
  defer { ending.finish() }
  let socket: Control
  do {
    socket = try await opening.run { try control(server) }
  } catch {
    await server.stop(grace: .seconds(5))
    throw error
  }
  for await _ in ends {}
  // Cancelling this task must not cut off replies in progress.
  await Task { await server.stop(grace: .seconds(30)) }.value
  await socket.stop()
  return CommandOutput()
}
