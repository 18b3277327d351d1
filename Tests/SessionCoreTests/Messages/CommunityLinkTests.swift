import Foundation
import SessionCore
import Testing

@Suite struct CommunityLinkTests {
  private struct Vectors: Decodable {
    struct Case: Decodable {
      let kind: String
      let expect: String
      let url: String?
      let baseURL: String?
      let room: String?
      let pubkey: String?

      enum CodingKeys: String, CodingKey {
        case kind, expect, url, room, pubkey
        case baseURL = "base_url"
      }
    }
    let cases: [Case]
  }

  private static func vectors() throws -> [Vectors.Case] {
    let root = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "../../..")
    let file = root.appending(path: "CSessionCore/tests/vectors/data/community_url.json")
    return try JSONDecoder().decode(Vectors.self, from: Data(contentsOf: file)).cases
      .filter { $0.kind == "parse_full_url" }
  }

  /// Rooms are taken as servers name them; the reference takes anything.
  private static func isRoom(_ text: String) -> Bool {
    !text.isEmpty && text.allSatisfy { $0.isASCII && ($0.isLetter || $0.isNumber || $0 == "_" || $0 == "-") }
  }

  @Test func theKnownAnswersAreGiven() throws {
    let cases = try Self.vectors()
    #expect(cases.count > 10)
    for known in cases {
      let link = CommunityLink(try #require(known.url))
      guard known.expect == "ok", let room = known.room, Self.isRoom(room) else {
        #expect(link == nil, "\(known)")
        continue
      }
      #expect(link?.server == known.baseURL, "\(known)")
      #expect(link?.room == room)
      #expect(link?.serverKey.hex == known.pubkey)
    }
  }

  @Test func writtenLinksCanBeParsed() throws {
    let link = try CommunityLink(
      parsing: "HTTPS://Example.ORG:443/r/Lobby?public_key=\(Example.server.uppercased())")
    #expect(link.description == "https://example.org/Lobby?public_key=\(Example.server)")
    #expect(CommunityLink(link.description) == link)
  }
}
