import Foundation
import Glibc
import Spawning

extension Program {
  /// Runs the program to its end without blocking a thread that tasks run on.
  func ran(_ words: String...) async throws -> Outcome { try await ran(words) }

  /// The same, with a text as its standard input, and with variables of its own in the environment.
  func ran(
    _ words: [String], input: String = "", with variables: [String: String] = [:]
  ) async throws -> Outcome {
    let process = prepared(words)
    if !variables.isEmpty {
      process.environment = (process.environment ?? [:]).merging(variables) { _, new in new }
    }
    return try await outcomeUnlessCancelled(of: process, input: input)
  }

  /// Runs another program in the folder of this one. It knows of nothing but these variables.
  func ranOther(_ path: String, _ words: [String], with variables: [String: String]) async throws -> Outcome {
    let process = prepared(words)
    process.executableURL = URL(filePath: path)
    process.environment = variables
    return try await outcomeUnlessCancelled(of: process)
  }

  /// A program that hangs ends with its test.
  private func outcomeUnlessCancelled(of process: Process, input: String = "") async throws -> Outcome {
    try Task.checkCancellation()
    return try await withTaskCancellationHandler {
      try await outcome(of: process, input: input)
    } onCancel: {
      if process.isRunning { kill(process.processIdentifier, SIGKILL) }
    }
  }

  private func outcome(of process: Process, input: String = "") async throws -> Outcome {
    let number = UUID().uuidString
    let (typed, output, messages) = (
      path("input-\(number)"), path("out-\(number)"), path("messages-\(number)")
    )
    defer { for file in [typed, output, messages] { try? FileManager.default.removeItem(at: file) } }
    try Data(input.utf8).write(to: typed)
    for file in [output, messages] { try Data().write(to: file) }
    let streams = [
      try FileHandle(forReadingFrom: typed), try FileHandle(forWritingTo: output),
      try FileHandle(forWritingTo: messages),
    ]
    // A process that has ended may keep them: a thousand would be more than Foundation can wait on.
    defer { for stream in streams { try? stream.close() } }
    process.standardInput = streams[0]
    process.standardOutput = streams[1]
    process.standardError = streams[2]
    let status: Int32 = try await withCheckedThrowingContinuation { waiting in
      process.terminationHandler = { waiting.resume(returning: $0.terminationStatus) }
      do {
        try process.start()
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
