import Foundation
import SessionCLI
import SessionCore
import SessionEndpoint
import Spawning
import Testing

@Suite(.timeLimit(.minutes(10))) struct InspectQuicTests {
  private let server: NetworkEndpoint
  private let identity: NetworkIdentity

  init() throws {
    identity = try NetworkIdentity(seed: SecretBytes(copying: [UInt8](repeating: 7, count: 32)))
    server = try NetworkEndpoint(
      at: NetworkAddress(parsing: "127.0.0.1:0"),
      options: .init(
        identity: identity,
        handlers: [
          "echo": { $0.body },
          "refuse": { _ in throw NetworkRefusal(404, "Not Found", details: "no\u{1B}[31m such thing") },
        ]))
  }

  private func run(_ words: String..., key: String? = nil, isTerminal: Bool = false, in world: MemoryIO) async
    -> ExitCode
  {
    await world.run(
      ["inspect", "quic"] + words + [
        "--connect", "\(server.address)", "--key", key ?? identity.publicKey.hex, "--timeout", "60",
      ], isTerminal: isTerminal)
  }

  @Test func theReplyIsWrittenAsItIs() async throws {
    let world = MemoryIO(inputBytes: [0, 255, 10])
    #expect(await run("echo", "-", in: world) == .success)
    #expect(world.outputBytes == [0, 255, 10])
    #expect(world.messages.count == 3)
    #expect(world.messages.first == "peer       \(identity.publicKey.hex) at \(server.address)")
    await server.stop()
  }

  @Test func aTerminalGetsWhatShows() async throws {
    let world = MemoryIO()
    #expect(await run("echo", "a\u{1B}b", isTerminal: true, in: world) == .success)
    #expect(world.output == "611b62\n")
    let second = MemoryIO()
    #expect(await run("echo", "Hello", isTerminal: true, in: second) == .success)
    #expect(second.output == "\"Hello\"\n")
    await server.stop()
  }

  @Test func jsonHasItAll() async throws {
    let world = MemoryIO()
    #expect(await run("echo", "Hello", "--json", in: world) == .success)
    let report = try #require(try expectForms(inLines: world.output, writtenBy: ["inspect", "quic"]).first)
    #expect(report["key"] as? String == identity.publicKey.hex)
    #expect(report["address"] as? String == "\(server.address)")
    #expect(report["reply"] as? String == "SGVsbG8=")
    #expect((report["handshake_us"] as? Int).map { $0 > 0 } == true)
    await server.stop()
  }

  @Test func aRefusalIsToldWithoutObeyingIt() async throws {
    let world = MemoryIO()
    #expect(await run("refuse", in: world) == .unavailable)
    #expect(world.output == "")
    let body = Array("404 Not Found\n\nno\u{1B}[31m such thing".utf8)
    #expect(world.messages.first == "session: the peer refused: \(body.hex)")
    await server.stop()
  }

  @Test func anotherKeyIsReported() async throws {
    let world = MemoryIO()
    #expect(await run("echo", key: String(repeating: "ab", count: 32), in: world) == .unavailable)
    #expect(world.output == "")
    #expect(world.messages.last?.hasPrefix("Another peer has this address") == true)
    await server.stop()
  }

  @Test(
    arguments: [
      [], ["ping"], ["ping", "--connect", "127.0.0.1:1"], ["--connect", "127.0.0.1:1"],
      ["ping", "--connect", "localhost:1", "--key", String(repeating: "ab", count: 32)],
      ["--listen", "127.0.0.1:0", "--key", String(repeating: "ab", count: 32)],
      ["ping", "--listen", "127.0.0.1:0"], ["--listen", "127.0.0.1:0", "--connect", "127.0.0.1:1"],
      ["--listen", "127.0.0.1:0", "--key-seed", "12"],
    ])
  func invalidArgumentsAreRefused(words: [String]) async {
    let world = MemoryIO()
    #expect(await world.run(["inspect", "quic"] + words) == .usage)
    #expect(world.output == "")
    await server.stop()
  }

  @Test func twoProgramsSpeakToEachOther() async throws {
    let program = try Program()
    let pipe = Pipe.closedOnExec()
    let seed = String(repeating: "07", count: 32)
    let listener = try program.start(
      ["inspect", "quic", "--listen", "127.0.0.1:0", "--key-seed", seed, "--json"],
      output: pipe.fileHandleForWriting)
    try pipe.fileHandleForWriting.close()
    defer { listener.process.terminate() }
    var line = Data()
    while line.last != UInt8(ascii: "\n") {
      let more = pipe.fileHandleForReading.availableData
      try #require(!more.isEmpty)
      line += more
    }
    let greeting = try #require(
      try expectForms(inLines: String(decoding: line, as: UTF8.self), writtenBy: ["inspect", "quic"]).first)
    let address = try #require(greeting["address"] as? String)
    #expect(greeting["key"] as? String == identity.publicKey.hex)
    let outcome = try program.run(
      "inspect", "quic", "ping", "--connect", address, "--key", identity.publicKey.hex, "--timeout", "60")
    #expect(outcome.status == 0)
    #expect(outcome.output == "pong")
    listener.process.interrupt()
    let end = try listener.outcome()
    #expect(end.status == 0)
    #expect(end.messages.hasSuffix("stopped after 1 connections\n"))
    await server.stop()
  }
}
