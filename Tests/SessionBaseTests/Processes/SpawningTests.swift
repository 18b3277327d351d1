import Foundation
import Spawning
import Testing

/// How tests start programs.
@Suite(.timeLimit(.minutes(5))) struct SpawningTests {
  /// Starts a program that ends with its input. The result ends with the program.
  private func reader(of input: Pipe) throws -> AsyncStream<Never> {
    let process = Process()
    process.executableURL = URL(filePath: "/bin/cat")
    process.standardInput = input
    process.standardOutput = FileHandle.nullDevice
    let (ends, ending) = AsyncStream.makeStream(of: Never.self)
    process.terminationHandler = { _ in ending.finish() }
    try process.start()
    return ends
  }

  @Test func aProgramSeesTheEndOfItsInputWhileAnotherRuns() async throws {
    let (first, second) = (Pipe.closedOnExec(), Pipe.closedOnExec())
    let (firstEnds, secondEnds) = (try reader(of: first), try reader(of: second))
    try first.fileHandleForWriting.close()
    for await _ in firstEnds {}
    #expect(!Task.isCancelled, "the second program keeps the input of the first open")
    try second.fileHandleForWriting.close()
    for await _ in secondEnds {}
  }
}
