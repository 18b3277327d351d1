import Foundation
import SessionJobs
import SessionStorage
import Testing

// The example of docs/jobs.md, word for word, and what it needs.

protocol FileServer: Sendable {
  func extend(_ url: String, days: Int) async throws -> Int64
}

struct Announcement: JobKind {
  static let kind = "announcement"
  static let queue = JobQueue("file", concurrency: 2)
  let url: String
}

/// Tells a server that a file is still wanted.
struct FileExtension: JobKind {
  static let kind = "fileExtension"
  static let queue = JobQueue("file", concurrency: 2)
  static let retry = RetryPolicy(maxFailures: 3)
  static let conditions: JobConditions = [.network, .accountActive]

  let url: String
  let days: Int

  // A second request for the same file becomes one with the first, for the longer time.
  var uniqueKey: String? { url }
  func merged(with later: FileExtension) -> FileExtension {
    FileExtension(url: url, days: max(days, later.days))
  }
}

func makeHandler(of server: any FileServer) -> JobHandler {
  JobHandler(FileExtension.self) { file, context in
    let until = try await server.extend(file.url, days: file.days)
    return .done { transaction in
      try transaction.appendEvent("extended", at: until)
    }
  }
}

private func call(_ database: Database, _ url: String, at now: Int64) async throws {
  try await database.write { transaction in
    let file = try transaction.enqueue(FileExtension(url: url, days: 14), at: now)
    try transaction.enqueue(Announcement(url: url), .after(.job(file)), at: now)
  }
}

@Suite struct ExampleKindTests {
  private struct Server: FileServer {
    let told: Told

    func extend(_ url: String, days: Int) async throws -> Int64 {
      told.add("\(url) \(days)")
      return 7
    }
  }

  @Test func theExampleWorks() async throws {
    let place = try JobPlace()
    try place.add(FileExtension(url: "http://file/1", days: 20))
    try await call(place.database, "http://file/1", at: place.clock.now)
    let runner = try await place.runner(
      makeHandler(of: Server(told: place.told)),
      JobHandler(Announcement.self) { [told = place.told] job, _ in
        told.add("announced")
        return .done
      }, conditions: [.network, .accountActive])
    try await runner.waitUntilIdle()
    #expect(place.told.all == ["http://file/1 20", "announced"])
    let events = try place.read { transaction in
      try transaction.events(after: EventRecord.ID(rawValue: 0), limit: 9)
    }
    #expect(events.map(\.at) == [7])
    await runner.stop()
  }

  /// The document shows what is compiled here.
  @Test func theDocumentShowsThisVeryCode() throws {
    let here = URL(filePath: #filePath)
    let document = here.deletingLastPathComponent().appending(path: "../../docs/jobs.md").standardized
    let code = try String(contentsOf: here, encoding: .utf8)
    let parts = try String(contentsOf: document, encoding: .utf8).components(separatedBy: "```")
    let examples = stride(from: 1, to: parts.count, by: 2).map { parts[$0] }.filter {
      $0.hasPrefix("swift\n")
    }
    #expect(examples.count == 2)
    func lines(_ text: some StringProtocol) -> String {
      text.split(separator: "\n").map { $0.trimmingCharacters(in: .whitespaces) }.joined(separator: "\n")
    }
    for example in examples { #expect(lines(code).contains(lines(example.dropFirst("swift\n".count)))) }
  }
}
