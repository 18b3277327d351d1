import SessionCLI
import SessionCore
import Testing

@Suite struct MessageWriteTests {
  private let it: InspectedMessage

  init() throws { it = try InspectedMessage() }

  private func written(_ options: String..., text: String = "hello\n") async throws -> [UInt8] {
    let world = MemoryIO(files: Example.phrases.merging(["key": it.groupKey.hex + "\n"]) { $1 }, input: text)
    #expect(await world.run(["message", "write", "--from", "alice", "--raw"] + options) == .success)
    return world.outputBytes
  }

  private func expectHello(_ bytes: [UInt8], from origin: MessageOrigin) throws {
    let received = try it.bob.decode(bytes, from: origin)
    #expect(received.message == (try it.text("hello")))
    #expect(received.message.sentAt?.milliseconds == MemoryIO.now)
  }

  @Test func aTextGoesToEveryDestination() async throws {
    try expectHello(await written("--to", Example.bobID), from: .ownSwarm)
    let group = it.admin.group
    try expectHello(
      await written("--to", group.description, "--group-key", "key"),
      from: .group(group, keys: [SecretBytes(copying: it.groupKey)]))
    let sender = try it.blinded(it.alice)
    try expectHello(await written("--room"), from: .community(sender: sender, postedAt: it.sentAt))
    let recipient = try it.blinded(it.bob)
    try expectHello(
      await written("--to", recipient.description, "--server", it.server.hex),
      from: .inbox(server: it.server, sender: sender, recipient: recipient, postedAt: it.sentAt))
  }

  @Test func theTimeCanBeGiven() async throws {
    let bytes = try await written("--to", Example.bobID, "--sent", "1600000000000")
    #expect(try it.bob.decode(bytes, from: .ownSwarm).sentAt.milliseconds == 1_600_000_000_000)
  }

  @Test func outputIsOneLineOfText() async throws {
    let world = MemoryIO(files: Example.phrases, input: "hello")
    #expect(await world.run("message", "write", "--from", "alice", "--to", Example.bobID) == .success)
    let reader = MemoryIO(files: Example.phrases, input: world.output)
    #expect(await reader.run("inspect", "message", "--key", "bob") == .success)
    #expect(reader.output.contains("\"hello\""))
  }

  @Test(arguments: [
    [], ["--to", Example.bobID, "--room"], ["--to", "15" + Example.bobID.dropFirst(2)],
    ["--to", "03" + Example.bobID.dropFirst(2)], ["--to", "07" + Example.bobID.dropFirst(2)],
    ["--room", "--sent", "yesterday"], ["--room", "--sent", "0"], ["--to", "nobody"],
    ["--to", "15" + Example.bobID.dropFirst(2), "--server", "abcd"],
  ])
  func wrongCallsAreUsageErrors(options: [String]) async {
    let world = MemoryIO(files: Example.phrases, input: "hello")
    #expect(await world.run(["message", "write", "--from", "alice"] + options) == .usage)
    #expect(world.output == "")
  }

  @Test(arguments: [[], [0x20], [0xFF], Array(repeating: 0x61, count: 2001)] as [[UInt8]])
  func inputThatIsNotTextIsRejected(input: [UInt8]) async {
    let world = MemoryIO(files: Example.phrases, inputBytes: input)
    #expect(await world.run("message", "write", "--from", "alice", "--room") == .data)
    #expect(world.output == "")
  }
}
