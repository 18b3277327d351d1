import Foundation

extension Program {
  /// Runs another program in the folder of this one to its end, without blocking a thread that tasks run on. It knows of
  /// nothing but these variables.
  func ranOther(_ path: String, _ words: [String], with variables: [String: String]) async throws -> Outcome {
    let process = prepared(words)
    process.executableURL = URL(filePath: path)
    process.environment = variables
    let (output, messages) = (
      self.path("out-\(UUID().uuidString)"), self.path("messages-\(UUID().uuidString)")
    )
    for file in [output, messages] { try Data().write(to: file) }
    defer { for file in [output, messages] { try? FileManager.default.removeItem(at: file) } }
    process.standardInput = FileHandle.nullDevice
    process.standardOutput = try FileHandle(forWritingTo: output)
    process.standardError = try FileHandle(forWritingTo: messages)
    let status: Int32 = try await withCheckedThrowingContinuation { waiting in
      process.terminationHandler = { waiting.resume(returning: $0.terminationStatus) }
      do {
        try process.run()
      } catch {
        process.terminationHandler = nil
        waiting.resume(throwing: error)
      }
    }
    return Outcome(
      status: status, output: try String(contentsOf: output, encoding: .utf8),
      messages: try String(contentsOf: messages, encoding: .utf8))
  }

  /// The folder that the executable is in.
  var executables: URL? { prepared([]).executableURL?.deletingLastPathComponent() }
}
