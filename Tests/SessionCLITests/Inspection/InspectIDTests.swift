import SessionCLI
import Testing

@Suite struct InspectIDTests {
  @Test func itsPartsAreShown() async {
    let world = MemoryIO()
    #expect(await world.run("inspect", "id", Example.aliceID) == .success)
    #expect(
      world.output == """
        offset  length  what
        000000      33  id  \(Example.aliceID)
        000000       1    kind  05 account id
        000001      32    X25519 key  \(Example.aliceID.dropFirst(2))

        """)
  }

  @Test func programsGetOneLine() async throws {
    let world = MemoryIO()
    #expect(await world.run("inspect", "id", Example.aliceID, "--json") == .success)
    let report = try #require(try expectForms(inLines: world.output, writtenBy: ["inspect", "id"]).first)
    #expect((report["inspection"] as? [String: Any])?["value"] as? String == Example.aliceID)
  }

  @Test func invalidIDsAreRejected() async {
    let world = MemoryIO()
    #expect(await world.run("inspect", "id", "05") == .data)
    #expect(world.messages == ["session: an id has 66 hexadecimal digits, this text has 2"])
  }
}
