import Foundation
import SessionBase
import SessionMessaging
import Testing

@testable import SessionDaemon

/// Many readers of one account, and readers that do not read.
@Suite(.serialized, .timeLimit(.minutes(10))) struct ReaderLoadTests {
  private static let isSoak = ProcessInfo.processInfo.environment["SOAK"] != nil

  /// What clients hear of, in the order in which it arrives.
  private final class Heard: Sendable {
    private let cursors: AsyncStream<Int64>
    private let telling: AsyncStream<Int64>.Continuation

    init() { (cursors, telling) = AsyncStream.makeStream(of: Int64.self) }

    func hear(_ method: String, _ params: JSONValue) {
      if method == "event", let cursor = params["event"]?["cursor"]?.integer { telling.yield(cursor) }
    }

    /// The next ones.
    func next(_ count: Int) async -> [Int64] {
      var (found, cursors) = ([Int64](), cursors.makeAsyncIterator())
      while found.count < count, let cursor = await cursors.next() { found.append(cursor) }
      return found
    }
  }

  private func line(_ method: String, _ params: String) -> [UInt8] {
    Array("{\"jsonrpc\":\"2.0\",\"id\":0,\"method\":\"\(method)\",\"params\":\(params)}\n".utf8)
  }

  @Test func aReaderThatNeverReadsDelaysNoOtherAndCostsNoMemory() async throws {
    let (count, size) = (Self.isSoak ? 5000 : 150, 5000)
    let account = try await ReadAccount()
    let rendered = Counter()
    let server = try account.server(padding: size) { rendered.add(1) }
    let stuck = try StreamSocket.connect(to: server.path)
    try await stuck.write(line("events.subscribe", #"{"reader":"stuck","window":1000}"#))
    let readers = try (0..<9).map { number in
      let heard = Heard()
      return (name: "r\(number)", heard: heard, client: try RPCClient(to: server.path, hear: heard.hear))
    }
    for reader in readers {
      _ = try await reader.client.call("events.subscribe", ["reader": .string(reader.name)])
    }
    let reading = Task {
      try await withThrowingTaskGroup(of: [Int64].self) { group in
        for reader in readers {
          group.addTask {
            var all: [Int64] = []
            while all.count < count {
              all += await reader.heard.next(min(50, count - all.count))
              _ = try await reader.client.call(
                "events.ack", ["reader": .string(reader.name), "cursor": .integer(all.last ?? 0)])
            }
            return all
          }
        }
        return try await group.reduce(into: []) { $0.append($1) }
      }
    }
    var made: [Int64] = []
    for _ in 0..<count { made.append(try await account.happen().rawValue) }
    let all = try await reading.value
    #expect(all.count == 9 && all.allSatisfy { $0 == made })
    // The events that wait for it are in the database, but for what fits into its socket.
    #expect(rendered.value - 9 * count < 500_000 / size)
    stuck.close()
    for reader in readers { reader.client.close() }
    await server.stop()
    await account.messenger.stop()
  }

  /// As many as there can be, or a part of them.
  @Test func manyReadersHearOfEachEventOnce() async throws {
    let clients = 20
    let (each, events) = Self.isSoak ? (Messenger.maxReaders / clients, 20) : (10, 2)
    let account = try await ReadAccount()
    let server = try account.server()
    let heard = Heard()
    let all = try (0..<clients).map { _ in try RPCClient(to: server.path, hear: heard.hear) }
    for (number, client) in all.enumerated() {
      for index in 0..<each {
        _ = try await client.call("events.subscribe", ["reader": .string("r\(number)-\(index)")])
      }
    }
    for _ in 0..<events {
      let begin = ContinuousClock.now
      let cursor = try await account.happen().rawValue
      let got = await heard.next(clients * each)
      #expect(got == Array(repeating: cursor, count: clients * each))
      print("one event to \(clients * each) readers: \(ContinuousClock.now - begin)")
    }
    for client in all { client.close() }
    await server.stop()
    await account.messenger.stop()
  }
}
