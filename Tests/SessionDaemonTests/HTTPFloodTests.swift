import Foundation
import SessionBase
import Testing

@testable import SessionDaemon

/// Requests in a flood: with wrong tokens, from pages of others, and to hosts of others.
@Suite(.timeLimit(.minutes(10))) struct HTTPFloodTests {
  private static let isSoak = ProcessInfo.processInfo.environment["SOAK"] != nil

  @Test func aFloodOfWrongRequestsHarmsNoClientWithAToken() async throws {
    let site = try HTTPSite()
    let secret = try await site.token("bot")
    let good = HTTPText(to: site.host, secret)
    let other = secret.dropLast() + (secret.last == "A" ? "E" : "A")
    let wrong = [
      (good.with("Origin", "https://evil.example"), 403), (good.with("Origin", "null"), 403),
      (good.with("Sec-Fetch-Site", "cross-site"), 403), (good.with("Host", "evil.example"), 421),
      (good.with("Content-Type", "text/plain"), 415),
      (good.with("Authorization", "Bearer \(other)"), 401),
      (good.with("Authorization", nil), 401),
    ]
    let known = try site.connect()
    let call = Array(good.with("Connection", nil).text.utf8)
    let rounds = Self.isSoak ? 300 : 6
    try await withThrowingTaskGroup { group in
      for _ in 0..<8 {
        group.addTask {
          for _ in 0..<rounds {
            for (request, status) in wrong {
              // One that waits longer than the others gives way to them.
              let answer = try await site.answer(to: request.text)
              let gaveWay = answer.status == 0 && status == 401
              #expect(answer.status == status || gaveWay, "\(status): \(answer.text)")
            }
          }
        }
      }
      for _ in 0..<rounds * 20 {
        try await known.write(call)
        let reply = String(decoding: try await known.read()?.bytes ?? [], as: UTF8.self)
        #expect(reply.hasPrefix("HTTP/1.1 200 ") && reply.contains("\"seen\""))
      }
      try await group.waitForAll()
    }
    #expect(try await site.answer(to: good.text).status == 200)
  }
}
