import SessionBase
import SessionCore
import SessionServers

/// A file server in this process, until its task is cancelled.
struct FileServerRunning: Sendable {
  let configuration: FileServerConfiguration

  func run() async throws -> CommandOutput {
    let opening = WorkerQueue("session.files.opening")
    let server = try await opening.run { [configuration] in try FileServer(configuration.options) }
    let (ends, ending) = AsyncStream.makeStream(of: Never.self)
    defer { ending.finish() }
    let control: FileServerControl
    do {
      control = try await opening.run { [configuration] in
        try FileServerControl(server, folder: configuration.folder)
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
