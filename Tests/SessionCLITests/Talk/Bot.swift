import Foundation
import Glibc
import Spawning

/// A bot of another language, which uses the daemon of a household.
final class Bot: Sendable {
  private let process: Process
  private let ends: AsyncStream<Never>

  init(
    _ home: Household, running interpreter: String = "/usr/bin/python3", _ script: String, _ words: String...,
    with variables: [String: String] = [:]
  ) throws {
    let process = home.program.prepared([script] + words)
    process.executableURL = URL(filePath: interpreter)
    process.environment?.merge(variables) { $1 }
    process.standardInput = FileHandle.nullDevice
    process.standardError = FileHandle.nullDevice
    let (ends, ending) = AsyncStream.makeStream(of: Never.self)
    process.terminationHandler = { _ in ending.finish() }
    try process.start()
    (self.process, self.ends) = (process, ends)
  }

  deinit { kill(process.processIdentifier, SIGKILL) }

  /// Ends it by force.
  func killed() async {
    kill(process.processIdentifier, SIGKILL)
    for await _ in ends {}
  }
}
