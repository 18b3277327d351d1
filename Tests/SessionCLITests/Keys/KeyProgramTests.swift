import SessionCore
import Testing

@testable import SessionCLI

@Suite struct KeyProgramTests {
  @Test func aProgramThatNeverEndsIsEnded() {
    var program = KeyProgram(words: ["/bin/sh", "-c", "echo 5a; exec sleep 1000"], environment: [:])
    program.timeout = .milliseconds(200)
    let failure = #expect(throws: KeyPlaceFailure.self) { try program.output() }
    #expect(failure?.description == "/bin/sh did not end in 0 seconds")
  }

  /// What it starts may keep its output open.
  @Test func aProgramThatLeavesAnotherOneBehindIsNotWaitedFor() throws {
    var program = KeyProgram(
      words: ["/bin/sh", "-c", "sleep 1000 & printf key"], environment: ["PATH": "/bin:/usr/bin"])
    program.timeout = .seconds(100)
    #expect(try program.output() == Array("key".utf8))
  }

  @Test func aMissingProgramIsReported() {
    let failure = #expect(throws: KeyPlaceFailure.self) {
      try KeyProgram(words: ["/nonexistent"], environment: [:]).output()
    }
    #expect(failure?.description.contains("cannot be started: No such file") == true)
    #expect(throws: KeyPlaceFailure.self) { try KeyProgram(words: ["true"], environment: [:]).output() }
  }

  @Test func differentCommandsHaveDifferentTexts() {
    let commands = [
      ["/bin/x", "a b"], ["/bin/x", "a", "b"], ["/bin/x", "a'b"], ["/bin/x", "a", "'b"], ["/bin/x", ""],
      ["/bin/x"], ["/bin/x", "'a' 'b'"], ["/bin/x", "a;b"],
    ]
    #expect(Set(commands.map { KeyProgram.text(of: $0) }).count == commands.count)
    #expect(KeyProgram.text(of: ["/usr/bin/pass", "show", "a'b"]) == "/usr/bin/pass show 'a'\\''b'")
  }

  @Test func aKeyIs32BytesOr64Digits() throws {
    let digits = Array(String(repeating: "5a", count: 32).utf8)
    let raw = [UInt8](repeating: 0x5A, count: 32)
    let newline = UInt8(ascii: "\n")
    for content in [raw, digits, digits + [newline]] {
      #expect(try KeyPlaces.key(in: content, from: "it").reveal() == raw)
    }
    for content in [
      [], Array(raw.dropLast()), raw + [newline], raw + raw, digits.dropLast() + [newline], digits + digits,
    ] {
      #expect(throws: KeyPlaceFailure.self) { try KeyPlaces.key(in: content, from: "it") }
    }
  }
}
