import Foundation
import Glibc
import Spawning
import Testing

/// `session daemon --http`, as curl sees it. Without accounts nothing here needs a network.
@Suite(.timeLimit(.minutes(10))) struct DaemonHTTPTests {
  private let program: Program

  init() throws { program = try .atHome() }

  /// What curl writes.
  private func curl(_ words: String...) async throws -> String {
    let output = program.path("curl-\(UUID().uuidString)")
    let process = program.prepared(
      ["--silent", "--show-error", "--max-time", "20", "--output", output.path] + words)
    process.executableURL = URL(filePath: "/usr/bin/curl")
    process.standardInput = FileHandle.nullDevice
    let (ends, ending) = AsyncStream.makeStream(of: Never.self)
    process.terminationHandler = { _ in ending.finish() }
    try process.start()
    for await _ in ends {}
    return (try? String(contentsOf: output, encoding: .utf8)) ?? ""
  }

  @Test func curlCallsWithATokenUntilItIsRevoked() async throws {
    let made = try await program.ran(["daemon", "token", "new", "curl"])
    let token = made.output.trimmingCharacters(in: .newlines)
    let daemon = try ServerProcess(program, ["daemon", "--http", "127.0.0.1:0"])
    let line = try await daemon.line(with: "listening at http://127.0.0.1:")
    let url = try #require(line.split(separator: " ").last) + "/v1"
    _ = try await daemon.line(with: "accounts are open")
    let call = #"{"jsonrpc":"2.0","id":1,"method":"daemon.status"}"#
    let words = ["--header", "Content-Type: application/json", "--data", call, "\(url)/rpc"]
    #expect(try await curl(words[0], words[1], words[2], words[3], words[4]) == "")
    let good = "Authorization: Bearer \(token)"
    let reply = try await curl("--header", good, words[0], words[1], words[2], words[3], words[4])
    #expect(reply.contains(#""type":"daemon""#))
    #expect(try await curl("--header", good, "\(url)/metrics").contains("session_accounts"))
    #expect(try await curl("--write-out", "%{stderr}", "\(url)/health") == "")
    let used = try await program.ran(["daemon", "token", "list", "--json"])
    #expect(used.output.contains(#""used":"#))
    #expect(try await program.ran(["daemon", "token", "revoke", "curl"]).status == 0)
    #expect(try await curl("--header", good, words[0], words[1], words[2], words[3], words[4]) == "")
    daemon.signal(SIGTERM)
    #expect(await daemon.end() == 0)
  }

  @Test(arguments: ["0.0.0.0:80", "192.0.2.1:80", "8190", "localhost:80"])
  func onlyLoopbackIsServed(_ address: String) async throws {
    #expect(try await program.ran(["daemon", "--http", address]).status == 64)
  }
}
