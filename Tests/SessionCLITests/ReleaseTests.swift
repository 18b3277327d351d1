import Foundation
import Glibc
import Testing

@testable import SessionCLI
@testable import SessionCore

/// Files of releases, and the list that was signed.
@Suite struct ReleaseTests {
  private let program: Program
  private let maker: Account
  private static let id: [UInt8] = [0x1F, 0xE8, 0xB4, 0x42, 0x18, 0x0F, 0x62, 0xE7]

  init() throws {
    program = try .atHome()
    maker = try .generate()
    try Data("package".utf8).write(to: program.path("a.deb"))
    try Data(repeating: 7, count: 2_500_000).write(to: program.path("b.tar.zst"))
  }

  private var key: String { (Array("Ed".utf8) + Self.id + maker.ed25519PublicKey).base64 }

  private func sum(_ name: String) throws -> String {
    var hash = SHA256()
    hash.add(Array(try Data(contentsOf: program.path(name))))
    return hash.finish().hex
  }

  private func list() throws -> String { "\(try sum("a.deb"))  a.deb\n\(try sum("b.tar.zst"))  b.tar.zst\n" }

  /// Writes a list and its signature, as minisign does.
  private func sign(
    _ list: String, comment: String = "session 0.5.0", signed: String? = nil, algorithm: String = "ED",
    id: [UInt8] = id
  ) throws {
    try Data(list.utf8).write(to: program.path("SHA256SUMS"))
    let hashed = algorithm == "ED" ? try Core.hash(of: Array(list.utf8), count: 64) : Array(list.utf8)
    let signature = try maker.sign(hashed)
    let whole = try maker.sign(signature + Array((signed ?? comment).utf8))
    let text = """
      untrusted comment: signature
      \((Array(algorithm.utf8) + id + signature).base64)
      trusted comment: \(comment)
      \(whole.base64)

      """
    try Data(text.utf8).write(to: program.path("SHA256SUMS.minisig"))
  }

  private func verify(_ words: String...) async throws -> Program.Outcome {
    try await program.ran(["verify-release"] + words + ["--key", key])
  }

  @Test func filesOfAReleaseAreNamedWithItsVersion() async throws {
    try sign(try list())
    let both = try await verify("a.deb", "b.tar.zst")
    #expect(both.status == 0 && both.output == "a.deb: session 0.5.0\nb.tar.zst: session 0.5.0\n")
    try Data("untrusted comment: minisign public key\n\(key)\n".utf8).write(to: program.path("session.pub"))
    let path = program.path("a.deb").path
    let json = try await program.ran([
      "verify-release", path, "--key", "session.pub", "--sums", program.path("SHA256SUMS").path, "--json",
    ])
    let forms = try expectForms(inLines: json.output, writtenBy: ["verify-release"])
    #expect(
      forms.first?["digest"] as? String == (try sum("a.deb")) && forms.first?["path"] as? String == path)
    #expect(forms.first?["key"] as? String == "E7620F1842B4E81F")
  }

  @Test func filesOutsideTheReleaseAreRefused() async throws {
    try sign(try list())
    try Data("packagf".utf8).write(to: program.path("a.deb"))
    let changed = try await verify("b.tar.zst", "a.deb")
    #expect(
      changed.status == 65 && changed.output.isEmpty && changed.messages.contains("a.deb is not the file"))
    try Data("x".utf8).write(to: program.path("c.deb"))
    let unknown = try await verify("c.deb")
    #expect(unknown.status == 65 && unknown.messages.contains("c.deb is not in SHA256SUMS"))
    #expect(try await verify("absent.deb").status == 65)
    try FileManager.default.removeItem(at: program.path("a.deb"))
    try #require(mkfifo(program.path("a.deb").path, 0o600) == 0)
    #expect(try await verify("a.deb").status == 66)
    try FileManager.default.removeItem(at: program.path("a.deb"))
    #expect(try await verify("a.deb").status == 66)
    try FileManager.default.removeItem(at: program.path("SHA256SUMS.minisig"))
    #expect(try await verify("b.tar.zst").status == 66)
  }

  @Test func aListThatWasChangedIsRefused() async throws {
    try sign(try list())
    try Data((try list() + "\(try sum("a.deb"))  c.deb\n").utf8).write(to: program.path("SHA256SUMS"))
    let changed = try await verify("a.deb")
    #expect(changed.status == 65 && changed.messages.contains("does not match"))
  }

  @Test func signaturesOfOtherKindsAndKeysAreRefused() async throws {
    func refusal() async throws -> String {
      let outcome = try await verify("a.deb")
      #expect(outcome.status == 65 && outcome.output.isEmpty)
      return outcome.messages
    }
    try sign(try list(), algorithm: "Ed")
    #expect(try await refusal().contains("older form"))
    try sign(try list(), comment: "session 0.6.0", signed: "session 0.5.0")
    #expect(try await refusal().contains("does not match"))
    try sign(try list(), id: [1, 0, 0, 0, 0, 0, 0, 0])
    #expect(try await refusal().contains("the key 0000000000000001, not E7620F1842B4E81F"))
    for comment in ["timestamp:1", "session", "session ", "session 1 2", "session 1\u{202E}"] {
      try sign(try list(), comment: comment)
      #expect(try await refusal().contains("not that of a release"), "\(comment)")
    }
    for text in [
      try list().replacing("\n", with: "\r\n"), try list().replacing("  ", with: " "),
      try list().replacing("  ", with: "   "), try list() + "\n",
    ] {
      try sign(text)
      #expect(try await refusal().contains("not a list of sums"), "\(text)")
    }
    let noKey = try await program.ran(["verify-release", "a.deb", "--key", "a.deb"])
    #expect(noKey.status == 65 && noKey.messages.contains("not a public key"))
    #expect(try await program.ran(["verify-release", "a.deb"]).status == 64)
  }

  @Test func theProgramTellsItsOwnSum() async throws {
    let told = try await program.ran(["version", "--sha256"])
    var hash = SHA256()
    hash.add(Array(try Data(contentsOf: program.executable)))
    #expect(told.output == "session \(SessionTool.version)\nsha256  \(hash.finish().hex)\n")
    let json = try await program.ran(["version", "--sha256", "--json"])
    let forms = try expectForms(inLines: json.output, writtenBy: ["version"])
    #expect((forms.first?["digest"] as? String)?.count == 64)
    #expect(try await program.ran(["version"]).output == "session \(SessionTool.version)\n")
  }
}
