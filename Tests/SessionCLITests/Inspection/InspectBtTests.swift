import SessionCLI
import SessionCore
import Testing

@Suite struct InspectBtTests {
  private func inspect(_ text: String) async -> String {
    let world = MemoryIO(input: text)
    expectTruth(of: await world.run("inspect", "bt"), about: world)
    return world.output
  }

  @Test func everyValueIsShownWithItsPlace() async {
    #expect(
      await inspect("d1:#i0e1:&d1:n5:Alicee1:<lli7eee2:\u{7F}xi-1ee") == """
        offset  length  what
        000000      41  bt
        000000      41    dict
        000004       3      "#"  0
        00000a      12      "&"  dict
        00000e       7        "n"  "Alice"
        000019       7      "<"  list
        00001a       5        list
        00001b       3          integer  7
        000024       4      7f78  -1

        """)
  }

  @Test func programsGetOneLine() async throws {
    let world = MemoryIO(input: "i007e")
    expectTruth(of: await world.run("inspect", "bt", "--json"), about: world)
    #expect(
      world.output
        == #"{"v":1,"inspection":{"name":"bt","offset":0,"length":5,"parts":[{"name":"integer","offset":0,"#
        + #""length":5,"value":"007, with spare characters","verdict":"bad"}]}}"# + "\n")
    _ = try expectForms(inLines: world.output, writtenBy: ["inspect", "bt"])
  }

  @Test func btInsideAStringIsShownToo() async {
    #expect(
      await inspect("l9:d1:ai-3eee") == """
        offset  length  what
        000000      13  bt
        000000      13    list
        000001      11      string  9 bytes that are bt
        000003       9        dict
        000007       4          "a"  -3

        """)
  }

  @Test(arguments: [
    ("", "no value: bad  it is cut off: \"\""),
    ("i5", "no value: bad  it is cut off: \"i5\""),
    ("ie", "no value: bad  no number: \"ie\""),
    ("i+5e", "no value: bad  no number: \"i+5e\""),
    ("i99999999999999999999e", "no value: bad  no number: \"i99999999999999999999e\""),
    ("i007e", "integer: bad  007, with spare characters"),
    ("i-0e", "integer: bad  -0, with spare characters"),
    ("003:abc", "string: bad  \"abc\""),
    ("5:abc", "no value: bad  it is cut off: \"5:abc\""),
    ("i1ex", "after the end: bad  \"x\""),
    ("d1:bi1e1:ai2ee", "\"a\": bad  key out of order; 2"),
    ("d1:ai1e1:ai2ee", "\"a\": bad  key out of order; 2"),
    ("di1ei2ee", "no value: bad  a key that is no string: \"i1ei2ee\""),
    ("l1:a", "no value: bad  it is cut off: \"\""),
    ("l1:ax", "no value: bad  nothing that bt has: \"x\""),
  ])
  func mistakesAreShownWhereTheyAre(text: String, line: String) async {
    let lines = await inspect(text).split(separator: "\n")
    #expect(lines.contains { $0.hasSuffix(line) }, "\(lines)")
  }

  @Test func valuesBeforeAnErrorAreShown() async {
    #expect(await inspect("d1:ali1ei2ex").contains("integer  2\n"))
  }

  @Test func depthIsBounded() async {
    let lines = await inspect(String(repeating: "l", count: 10_000))
    #expect(lines.contains("no value: bad  nested too deeply"))
  }

  @Test func muchIsCounted() async {
    let lines = await inspect("l" + String(repeating: "i1e", count: 20_000) + "e")
    #expect(lines.contains("no value: bad  more than is shown"))
    #expect(lines.split(separator: "\n").count < 10_010)
  }

  @Test func base64IsReadToo() async {
    #expect(await inspect("ZGU=") == inspect("de"))
    #expect(await inspect("i10e").contains("integer  10"))
  }
}
