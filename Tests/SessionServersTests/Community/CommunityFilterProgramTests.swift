import Foundation
import SessionBase
import SessionCore
import Testing

@testable import SessionServers

/// The program of an operator that looks at messages.
@Suite(.timeLimit(.minutes(5))) struct CommunityFilterProgramTests {
  private static let script = """
    #!/bin/sh
    while read -r line; do
      printf '%s\n' "$line" >> "${0}.seen"
      case "$line" in
        *rude*) echo '{"do":"refuse","reply":"be kind"}' ;;
        *bad*) echo '{"do":"refuse"}' ;;
        *hide*) echo '{"do":"silent"}' ;;
        *twice*) printf '{"do":"accept"}\n{"do":"refuse"}\n' ;;
        *slow*) sleep 60 ;;
        *junk*) echo 'not an answer' ;;
        *end*) exit 1 ;;
        *) echo '{"do":"accept"}' ;;
      esac
    done
    """

  private func withProgram(
    refuses: Bool = false, time: Duration = .seconds(600),
    _ body: (CommunitySite, String) async throws -> Void
  ) async throws {
    let folder = try TemporaryFolder()
    let path = folder.path + "/filter"
    try Data(Self.script.utf8).write(to: URL(fileURLWithPath: path))
    chmod(path, 0o700)
    try await withCommunity { options in
      options.filter.program = path
      options.filter.programTime = time
      options.filter.refusesWithoutProgram = refuses
    } body: { (site) async throws in
      try await body(site, path + ".seen")
    }
  }

  private func post(
    _ site: CommunitySite, _ member: Member, _ text: String, _ method: String = "POST", _ path: String = ""
  ) async throws -> CommunitySite.Answer {
    site.clock.advance(.seconds(20))
    let time = try MessageTime(milliseconds: site.clock.now)
    let message = try Message(
      .visible(VisibleMessage(body: text, profile: try MessageProfile(name: "Ann"))), sentAt: time)
    let data = try member.account.encode(message, for: .community)
    return try await site.call(
      member, method, "/room/lobby/message" + path, json: try member.post(data: data))
  }

  @Test func theProgramAcceptsRefusesAndHidesMessages() async throws {
    try await withProgram { (site, seen) async throws in
      let member = try site.member()
      #expect(try await post(site, member, "hello").status == 201)
      let refused = try await post(site, member, "bad")
      #expect(refused.status == 429)
      #expect(refused.text == "filtration rejected message (hook)")
      let hidden = try await post(site, member, "hide me")
      #expect(hidden.status == 201)
      #expect(hidden.json["filtered"] == true)
      #expect(try await site.call(nil, "GET", "/room/lobby/messages/recent").json.elements.count == 1)
      #expect(try await post(site, member, "bad", "PUT", "/1").status == 429)
      site.clock.advance(.seconds(20))
      let spelled = try Message(
        .visible(VisibleMessage(body: "elsewhere")), sentAt: MessageTime(milliseconds: site.clock.now))
      let data = try member.account.encode(spelled, for: .community)
      #expect(
        try await site.call(member, "POST", "/room/LOBBY/message", json: try member.post(data: data)).status
          == 201)
      let asked = String(decoding: try Data(contentsOf: URL(fileURLWithPath: seen)), as: UTF8.self)
      #expect(asked.contains("elsewhere") && !asked.contains("LOBBY"))
      let line = try #require(
        String(decoding: Data(contentsOf: URL(fileURLWithPath: seen)), as: UTF8.self).split(separator: "\n")
          .first)
      for part in [
        #""room":"lobby""#, #""author":"\#(member.id)""#, #""kind":"post""#, #""text":"hello""#,
        #""name":"Ann""#, #""files":0"#,
      ] { #expect(line.contains(part), "\(line)") }
    }
  }

  @Test func theProgramRepliesToTheAuthor() async throws {
    try await withProgram { (site, _) async throws in
      let member = try site.member()
      #expect(try await post(site, member, "rude").status == 429)
      #expect(try await post(site, member, "bad").status == 429)
      let replies = try await site.call(member, "GET", "/room/lobby/messages/recent").json.elements
      let data = try replies.map { try [UInt8](base64: ($0["data"]?.string ?? "").utf8) }
      let time = try MessageTime(milliseconds: site.clock.now)
      #expect(data.map { PostedText($0, postedAt: time)?.text } == ["be kind"])
    }
  }

  @Test func anAnswerTooManyIsNotThatToTheNextMessage() async throws {
    try await withProgram { (site, _) async throws in
      let member = try site.member()
      // Each process gets one.
      for text in ["twice", "twice", "twice", "twice", "hello"] {
        #expect(try await post(site, member, text).status == 201, "\(text)")
      }
      for _ in 0..<4 { #expect(try await post(site, member, "bad").status == 429) }
      #expect(try await post(site, member, "hello").status == 201)
    }
  }

  @Test(arguments: [true, false])
  func messagesDoNotWaitForAProgramThatFails(refuses: Bool) async throws {
    try await withProgram(refuses: refuses, time: .seconds(4)) { (site, _) async throws in
      let member = try site.member()
      for text in ["slow", "junk", "end"] {
        #expect(try await post(site, member, text).status == (refuses ? 429 : 201))
      }
      // It is started anew.
      for _ in 0..<5 { #expect(try await post(site, member, "bad").status == 429) }
    }
  }

  @Test func moderatorsAndUnreadableMessagesAreNotShownToTheProgram() async throws {
    try await withProgram { (site, seen) async throws in
      let (admin, member) = (try await site.admin(), try site.member())
      #expect(try await post(site, admin, "bad").status == 201)
      try await site.post("bad", as: member)
      #expect(!FileManager.default.fileExists(atPath: seen))
    }
  }

  @Test func aProgramThatIsNotThereStopsNoMessages() async throws {
    try await withCommunity {
      $0.filter.program = "/nonexistent/filter"
    } body: { (site) async throws in
      #expect(try await post(site, try site.member(), "hello").status == 201)
    }
  }
}
