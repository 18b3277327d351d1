import SessionCLI
import Testing

@Suite struct CommandTests {
  private let world = MemoryIO(files: Example.phrases)

  @Test func aNewAccountIsShownWithItsPhrase() async {
    #expect(await world.run("account", "new") == .success)
    let lines = world.output.split(separator: "\n")
    #expect(lines.count == 2)
    #expect(lines[0].hasPrefix("id               05"))
    #expect(lines[1].hasPrefix("recovery phrase  "))
    #expect(lines[1].split(separator: " ").count == 2 + 13)
    #expect(world.messages == [])
  }

  @Test func aNewAccountGoesToAFileAndComesBackFromIt() async {
    #expect(await world.run("account", "new", "--out=carol") == .success)
    let id = world.output
    #expect(world.messages == ["The recovery phrase is in carol. Keep it secret, and keep a copy on paper."])
    #expect(!id.contains(" "))
    #expect(await world.run("account", "show", "carol") == .success)
    #expect(world.output == id + id)
  }

  @Test func anAccountIsShownAsTextAndAsJSON() async {
    #expect(await world.run("account", "show", "alice", "--phrase", "--json") == .success)
    #expect(
      world.output == """
        {"v":1,"id":"\(Example.aliceID)","recovery_phrase":"\(Example.alicePhrase)"}

        """)
  }

  @Test func thePhraseComesFromStandardInputToo() async {
    let world = MemoryIO(input: Example.alicePhrase)
    #expect(await world.run("account", "show", "-") == .success)
    #expect(world.output == Example.aliceID + "\n")
  }

  @Test func aByteOrderMarkBeforeATextIsPassedOver() async {
    let mark = "\u{FEFF}"
    let sender = MemoryIO(files: ["alice": mark + Example.alicePhrase], input: "hello")
    #expect(await sender.run("seal", "--from", "alice", "--to", Example.bobID) == .success)
    let recipient = MemoryIO(files: Example.phrases, input: mark + sender.output)
    #expect(await recipient.run("open", "--as", "bob") == .success)
    #expect(recipient.output == "hello")
  }

  @Test func labelsAreBoldOnATerminalAlone() async {
    #expect(await world.run("id", Example.aliceID, isTerminal: true) == .success)
    #expect(
      world.output
        == "\u{1B}[1mid  \u{1B}[0m  \(Example.aliceID)\n\u{1B}[1mkind\u{1B}[0m  account id\n")
  }

  @Test(arguments: [[], ["--raw"]])
  func aMessageTravels(raw: [String]) async throws {
    let sender = MemoryIO(files: Example.phrases, input: "See you at eight\n")
    let seal = ["seal", "--from", "alice", "--to", Example.bobID] + raw
    #expect(await sender.run(seal) == .success)
    let recipient = MemoryIO(files: Example.phrases, inputBytes: sender.outputBytes)
    #expect(await recipient.run(["open", "-", "--as", "bob"] + raw) == .success)
    #expect(recipient.output == "See you at eight\n")
    #expect(recipient.messages == ["from " + Example.aliceID])
  }

  @Test func base64MayBeBrokenIntoLines() async {
    let sender = MemoryIO(files: Example.phrases, input: "hello")
    #expect(await sender.run("seal", "--from", "alice", "--to", Example.bobID) == .success)
    let broken = sender.output.enumerated().map { $0 % 60 == 59 ? "\($1)\r\n" : "\($1)" }.joined()
    let recipient = MemoryIO(files: Example.phrases, input: broken)
    #expect(await recipient.run("open", "--as", "bob", "--json") == .success)
    #expect(recipient.output == "{\"v\":1,\"from\":\"\(Example.aliceID)\",\"content\":\"aGVsbG8=\"}\n")
  }

  @Test func nothingIsShownOfAMessageForSomebodyElse() async {
    let sender = MemoryIO(files: Example.phrases, input: "hello")
    #expect(await sender.run("seal", "--from", "alice", "--to", Example.bobID) == .success)
    let thief = MemoryIO(files: Example.phrases, input: sender.output)
    #expect(await thief.run("open", "--as", "alice") == .data)
    #expect(thief.output == "")
  }

  @Test func anIDIsExaminedForPrograms() async {
    #expect(await world.run("id", Example.aliceID.uppercased(), "--json") == .success)
    #expect(world.output == "{\"v\":1,\"id\":\"\(Example.aliceID)\",\"kind\":\"account\"}\n")
  }

  @Test func aWrongWordIsShownToItsOwnerWithTheNearestOnes() async {
    let world = MemoryIO(
      files: [
        "alice": Example.alicePhrase.replacing("pigment films", with: "pigment fxims", maxReplacements: 1)
      ])
    #expect(await world.run("account", "show", "alice") == .data)
    #expect(world.messages[0] == "session: alice: word 4 of the recovery phrase is not in the word list")
    #expect(
      world.messages[1].hasPrefix("Word 4 is not in the list; the nearest words of the list are: films"))
    #expect(world.output == "")
  }
}
