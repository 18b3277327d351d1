import Glibc
import SessionBase
import SessionCore
import SessionNode

/// A private network in this process, until its task is cancelled or `devnet down`.
struct DevnetRunning: Sendable {
  let options: Devnet.Options
  let asJSON: Bool

  func run(_ io: CommandIO) async throws -> CommandOutput {
    let began = ContinuousClock.now
    let devnet = try await Devnet.start(options)
    let (ends, ending) = AsyncStream.makeStream(of: Void.self)
    let control: DevnetControl
    do {
      control = try DevnetControl(devnet) { ending.finish() }
    } catch {
      await devnet.stop()
      throw error
    }
    let status = await devnet.status()
    // The caller may be waiting for this line: flush it.
    try SessionTool.write(CommandOutput(status, asJSON: asJSON), to: io)
    io.tell("up in \((ContinuousClock.now - began).milliseconds) ms; Ctrl-C stops it")
    for await _ in ends {}
    await control.stop()
    await devnet.stop()
    return CommandOutput(notes: ["the network has stopped"])
  }
}

/// The default folder of a user's private network.
enum DevnetPlace {
  static func folder(_ environment: [String: String]) -> String {
    guard let folder = environment["XDG_RUNTIME_DIR"], !folder.isEmpty else {
      return "/tmp/session-devnet-\(geteuid())"
    }
    return folder + "/session-devnet"
  }

  static func networkFile(_ environment: [String: String]) -> String {
    folder(environment) + "/network.json"
  }
}
