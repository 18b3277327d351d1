import SessionCLI
import SessionCore
import Testing

/// Inspecting messages of every place there is, and what the lines must say.
struct InspectedMessage {
  let alice: Account
  let bob: Account
  let admin: GroupAdminKey
  let groupKey = [UInt8](repeating: 9, count: 32)
  let server = [UInt8](repeating: 5, count: 32)
  let sentAt: MessageTime

  init() throws {
    alice = try Account(RecoveryPhrase(parsing: Array(Example.alicePhrase.utf8)))
    bob = try Account(RecoveryPhrase(parsing: Array(Example.bobPhrase.utf8)))
    admin = try GroupAdminKey(seed: SecretBytes(copying: [UInt8](repeating: 7, count: 32)))
    sentAt = try MessageTime(milliseconds: 1_700_000_000_123)
  }

  func text(_ body: String, pro: MessagePro? = nil) throws -> Message {
    try Message(.visible(VisibleMessage(body: body)), sentAt: sentAt, pro: pro)
  }

  func blinded(_ account: Account) throws -> SessionID {
    try BlindedIdentity(of: account, on: server, scheme: .blinded15).id
  }

  /// The lines of the tree.
  func lines(_ bytes: [UInt8], _ options: String...) async throws -> [String] {
    try await lines(bytes, options)
  }

  func lines(_ bytes: [UInt8], _ options: [String]) async throws -> [String] {
    let keys = String(repeating: "00", count: 32) + "\n" + groupKey.hex + "\n"
    let world = MemoryIO(files: Example.phrases.merging(["keys": keys]) { $1 }, inputBytes: bytes)
    expectTruth(of: await world.run(["inspect", "message"] + options), about: world)
    return world.output.split(separator: "\n").map(String.init)
  }
}

/// An inspection ends with 65 where it found something bad, and only there.
func expectTruth(
  of status: ExitCode, about world: MemoryIO, sourceLocation: SourceLocation = #_sourceLocation
) {
  let isBad = world.output.contains(": bad") || world.output.contains(#""verdict":"bad""#)
  #expect(status == (isBad ? .data : .success), "\(world.messages)", sourceLocation: sourceLocation)
}

func expect(_ lines: [String], toHave parts: String..., sourceLocation: SourceLocation = #_sourceLocation) {
  for part in parts {
    #expect(lines.contains { $0.hasSuffix(part) }, "\(part)", sourceLocation: sourceLocation)
  }
}
