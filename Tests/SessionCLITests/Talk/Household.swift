import Foundation
import Glibc
import PseudoTerminals
import SessionStorage
import Testing

@testable import SessionCLI

/// The real program in a home of its own, and a private network that it runs.
final class Household: Sendable {
  let program: Program
  private let network: ServerProcess

  private init() async throws {
    program = try .atHome()
    network = try ServerProcess(program, ["devnet", "up"])
    _ = try await network.line(with: "up in")
  }

  static func with(_ body: (Household) async throws -> Void) async throws {
    let household = try await Household()
    let result: Result<Void, any Error>
    do { result = .success(try await body(household)) } catch { result = .failure(error) }
    household.restoreNetwork()
    household.network.signal(SIGTERM)
    #expect(await household.network.end() == 0)
    try household.expectLogWithoutPeople()
    try result.get()
  }

  /// Whatever was done, the log names no person and quotes no text.
  private func expectLogWithoutPeople() throws {
    let folder = LogFolder(in: try StorageRoots(environment: ["HOME": program.folder.path]))
    for file in try folder.files() {
      for line in try String(contentsOfFile: file, encoding: .utf8).split(separator: "\n") {
        #expect(LogRecord(Array(line.utf8)) != nil, "\(line)")
        for name in ["alice", "bob", "carol", "Hello", program.folder.path] {
          #expect(!line.contains(name), "\(line)")
        }
        #expect(line.firstMatch(of: /[0-9a-f]{16}/) == nil, "\(line)")
      }
    }
  }

  /// Stops every node and server, as a cut network does: what is sent meanwhile may arrive afterwards.
  func cutNetwork() { network.signal(SIGSTOP) }
  func restoreNetwork() { network.signal(SIGCONT) }

  func path(_ name: String) -> URL { program.path(name) }

  /// Runs the program, whatever becomes of it.
  func outcome(
    _ words: [String], input: String = "", with variables: [String: String] = [:]
  ) async throws -> Program.Outcome {
    try await program.ran(words, input: input, with: variables)
  }

  /// Runs the program; it has to succeed.
  @discardableResult
  func run(_ words: String...) async throws -> String {
    let outcome = try await program.ran(words)
    try #require(outcome.status == 0, "\(words): \(outcome.messages)")
    return outcome.output
  }

  /// The lines of JSON that a command writes.
  func json(_ words: String...) async throws -> [[String: Any]] { try await json(words) }

  func json(_ words: [String]) async throws -> [[String: Any]] {
    let outcome = try await program.ran(words + ["--json"])
    try #require(outcome.status == 0, "\(words): \(outcome.messages)")
    return try expectForms(inLines: outcome.output, writtenBy: words)
  }

  /// Runs the program with a terminal for its messages: the status, and what was drawn.
  func outcomeOnTerminal(_ words: String...) async throws -> (status: Int32, drawn: String) {
    let terminal = try PseudoTerminal(columns: 80)
    let process = program.prepared(words)
    process.standardInput = FileHandle.nullDevice
    process.standardOutput = FileHandle.nullDevice
    process.standardError = terminal.end
    return try await terminal.watching(process)
  }

  /// Starts a program that goes on; its lines are those of standard output.
  func start(_ words: String..., startedBy starter: String? = nil) throws -> ServerProcess {
    try start(words: words, startedBy: starter)
  }

  func start(words: [String], startedBy starter: String? = nil) throws -> ServerProcess {
    try ServerProcess(program, words, reading: .output, startedBy: starter)
  }

  /// An account that is new in this home; its id. Forward secrecy, which a private network begins with, adds notes to
  /// conversations, and keys that have to be fetched: tests of other things do without it.
  func account(_ name: String, hasForwardSecrecy: Bool = false) async throws -> String {
    let words = ["account", "new", name, "--network", "devnet"]
    let outcome = try await outcome(words + (hasForwardSecrecy ? [] : ["--no-forward-secrecy"]))
    try #require(outcome.status == 0, "\(words): \(outcome.messages)")
    return outcome.output.trimmingCharacters(in: .newlines)
  }

  /// Two accounts, alice and bob, who know each other; messages #1 and #2 are there at both.
  func friends(haveForwardSecrecy isSecret: Bool = false) async throws {
    _ = try await account("alice", hasForwardSecrecy: isSecret)
    let bob = try await account("bob", hasForwardSecrecy: isSecret)
    try await run("send", bob, "Hello", "--account", "alice")
    try await run("receive", "--ack", "--account", "bob")
    try await run("requests", "accept", "alice", "--account", "bob")
    try await run("receive", "--ack", "--account", "alice")
  }

  /// Does something while a daemon serves these accounts, all without any, or while none runs.
  func with(
    daemon isRunning: Bool, serving accounts: String..., body: () async throws -> Void
  ) async throws {
    guard isRunning else { return try await body() }
    let daemon = try ServerProcess(program, ["daemon"] + accounts.map { "--account=\($0)" })
    _ = try await daemon.line(with: "accounts are open")
    let result: Result<Void, any Error>
    do { result = .success(try await body()) } catch { result = .failure(error) }
    daemon.signal(SIGTERM)
    #expect(await daemon.end() == 0)
    try result.get()
  }
}
