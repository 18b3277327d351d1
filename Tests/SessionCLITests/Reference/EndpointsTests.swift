import Foundation
import Testing

@testable import SessionCLI

@Suite(.timeLimit(.minutes(10))) struct EndpointsTests {
  private static let page = URL(filePath: #filePath).deletingLastPathComponent()
    .appending(path: "../../../docs/endpoints.md").standardized

  @Test func thePageIsThatOfTheTable() throws {
    if ProcessInfo.processInfo.environment["UPDATE_GOLDEN"] != nil {
      try Endpoints.page.write(to: Self.page, atomically: true, encoding: .utf8)
    }
    #expect(try String(contentsOf: Self.page, encoding: .utf8) == Endpoints.page)
  }

  @Test func everyVariableThatIsReadIsOnThePage() throws {
    let sources = Self.page.deletingLastPathComponent().appending(path: "../Sources").standardized
    let files = FileManager.default.enumerator(at: sources, includingPropertiesForKeys: nil)
    let known = Set(
      Endpoints.environment.flatMap { $0.name.split(separator: ", ").map(String.init) })
    var count = 0
    while let file = files?.nextObject() as? URL {
      guard file.pathExtension == "swift" else { continue }
      let text = try String(contentsOf: file, encoding: .utf8)
      for match in text.matches(of: /nvironment\["([A-Z_]+)"/) {
        count += 1
        #expect(known.contains(String(match.1)), "\(file.lastPathComponent): \(match.1)")
      }
    }
    #expect(count > 20)
  }

  @Test func anAccountTellsWhatItUses() async throws {
    try await Household.with { home in
      _ = try await home.account("alice")
      func ways() async throws -> [String: String] {
        let found = try await home.json("endpoints")
        return Dictionary(
          found.map { ($0["name"] as? String ?? "", $0["way"] as? String ?? "") },
          uniquingKeysWith: { first, _ in first })
      }
      let plain = try await ways()
      #expect(plain["seed node"] == "direct" && plain["file server"] == "onion" && plain["account"] == "file")
      #expect(plain["previews of links"] == nil)
      try await home.run("settings", "set", "link-previews", "on")
      #expect(try await ways()["previews of links"] == "https")
      try await home.run("config", "set", "proxy", "socks5h://127.0.0.1:9050")
      #expect(try await ways()["previews of links"] == "proxy")
      let found = try await home.json("endpoints")
      #expect(found.contains { ($0["address"] as? String)?.hasSuffix("by socks5h://127.0.0.1:9050") == true })
      #expect(try await home.run("endpoints").contains("through the proxy, HTTPS"))
    }
  }
}
