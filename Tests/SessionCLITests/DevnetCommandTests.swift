import Foundation
import Spawning
import Testing

@testable import SessionCLI

/// A private network as people run it.
@Suite(.timeLimit(.minutes(10))) struct DevnetCommandTests {
  @Test func aNetworkRunsIsChangedAndEnds() async throws {
    let program = try Program()
    let pipe = Pipe.closedOnExec()
    let network = try program.start(
      ["devnet", "up", "--nodes", "3", "--swarms", "1", "--dir", "net"], output: pipe.fileHandleForWriting)
    try pipe.fileHandleForWriting.close()
    defer { network.process.terminate() }
    var shown = Data()
    while !String(decoding: shown, as: UTF8.self).contains(" MiB\n") {
      let more = pipe.fileHandleForReading.availableData
      try #require(!more.isEmpty)
      shown += more
    }
    let text = String(decoding: shown, as: UTF8.self)
    #expect(text.contains("net/network.json\n"))
    #expect(text.split(separator: "\n").filter { $0.contains(" alive ") }.count == 3)
    #expect(text.contains("file server       http://127."))
    #expect(text.contains("  0 files, 0 bytes\n"))

    let second = try program.run("devnet", "up", "--dir", "net")
    #expect(second.status == 69)
    #expect(second.messages.hasPrefix("session: a devnet already runs in net\n"))

    #expect(try program.run("devnet", "kill-node", "2", "--dir", "net").status == 0)
    #expect(try program.run("devnet", "delay", "20", "--dir", "net").status == 0)
    #expect(try program.run("devnet", "loss", "2.5", "3", "--dir", "net").status == 0)
    let rows = try program.run("devnet", "status", "--dir", "net").output.split(separator: "\n")
    #expect(rows[1].contains(" alive ") && rows[1].contains("20 ms, 0 % lost"))
    #expect(rows[2].contains(" dead "))
    #expect(rows[3].contains("20 ms, 2.5 % lost"))
    let told = try program.run("devnet", "status", "--dir", "net", "--json").output
    let status = try #require(try expectForms(inLines: told, writtenBy: ["devnet", "status"]).first)
    let nodes = try #require(status["nodes"] as? [[String: Any]])
    #expect(nodes.map { $0["alive"] as? Bool } == [true, false, true])
    #expect(nodes.map { $0["delay_ms"] as? Int } == [20, 20, 20])
    #expect(nodes[2]["loss"] as? Double == 0.025)
    let back = try program.run("devnet", "start-node", "2", "--dir", "net", "--json")
    #expect(back.output == #"{"v":1,"type":"done"}"# + "\n")
    #expect(try program.run("devnet", "kill-node", "7", "--dir", "net").status == 69)

    #expect(try program.run("devnet", "down", "--dir", "net").status == 0)
    let end = try network.outcome()
    #expect(end.status == 0)
    #expect(end.messages.hasSuffix("the network has stopped\n"))
    let none = try program.run("devnet", "status", "--dir", "net")
    #expect(none.status == 69)
    #expect(none.messages.hasPrefix("session: no devnet runs in net\n"))
  }

  @Test func anInterruptedNetworkLeavesNothingBehind() async throws {
    let program = try Program()
    let pipe = Pipe.closedOnExec()
    let folder = program.path("run").path
    setenv("XDG_RUNTIME_DIR", folder, 1)
    defer { unsetenv("XDG_RUNTIME_DIR") }
    let network = try program.start(["devnet", "up", "--nodes", "1"], output: pipe.fileHandleForWriting)
    try pipe.fileHandleForWriting.close()
    defer { network.process.terminate() }
    #expect(!pipe.fileHandleForReading.availableData.isEmpty)
    network.process.interrupt()
    #expect(try network.outcome().status == 0)
    #expect(try FileManager.default.contentsOfDirectory(atPath: folder) == [])
  }

  @Test(
    arguments: [
      ["up", "--nodes", "0"], ["up", "--nodes", "101"], ["up", "--nodes", "x"],
      ["up", "--nodes", "2", "--swarms", "3"], ["kill-node"], ["kill-node", "0"], ["kill-node", "x"],
      ["delay", "60001"], ["delay", "1", "0"], ["loss", "101"], ["loss", "x"],
    ])
  func invalidArgumentsAreRefused(words: [String]) async {
    let world = MemoryIO()
    #expect(await world.run(["devnet"] + words) == .usage)
    #expect(world.output == "")
  }
}
