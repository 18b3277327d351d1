import SessionBase
import SessionCore
import SessionServers

/// A community server in this process, until its task is cancelled.
struct CommunityServerRunning: Sendable {
  let configuration: CommunityServerConfiguration

  func run() async throws -> CommandOutput {
    let opening = WorkerQueue("session.community.opening")
    let server = try await opening.run { [configuration] in try CommunityServer(configuration.options) }
    let (ends, ending) = AsyncStream.makeStream(of: Never.self)
    defer { ending.finish() }
    let control: CommunityControl
    do {
      control = try await opening.run { [configuration] in
        try CommunityControl(server, folder: configuration.folder)
      }
    } catch {
      await server.stop()
      throw error
    }
    for await _ in ends {}
    // Cancelling this task must not cut off replies in progress.
    await Task { await server.stop(grace: .seconds(30)) }.value
    await control.stop()
    return CommandOutput()
  }
}
