import Foundation
import SessionBase
import Testing

@testable import SessionDaemon

/// Clients that write too much, too little or too slowly, beside one that does not.
@Suite(.timeLimit(.minutes(10))) struct ConnectionLoadTests {
  private static let isSoak = ProcessInfo.processInfo.environment["SOAK"] != nil
  private static let ping = #"{"jsonrpc":"2.0","id":1,"method":"daemon.ping"}"#

  @Test func aLineOfAGigabyteIsReadNoFurtherThanTheLimit() async throws {
    let client = try ServedClient()
    let reading = Task { [socket = client.socket] in
      var reader = LineReader(socket, limit: RPCLimits.reply)
      return try await reader.next().map { try JSONReader.value(of: $0.bytes) }
    }
    let piece = [UInt8](repeating: UInt8(ascii: "a"), count: 65536)
    var written = 0
    while written < 1 << 30 {
      do { try await client.socket.write(piece) } catch { break }
      written += piece.count
    }
    // The system keeps some more on the way.
    #expect(written <= RPCLimits.line + (1 << 20))
    #expect(try await reading.value?["error"]?["data"]?["kind"] == "line-too-long")
    await client.untilEnded()
  }

  @Test func halfLinesHarmNoOther() async throws {
    let half = String(Self.ping.dropLast(9))
    let clients = try (0..<(Self.isSoak ? 5000 : 200)).map { _ in try ServedClient() }
    for client in clients { try await client.write(half) }
    #expect(try await ServedClient().replies(to: Self.ping).first?["result"] != nil)
    // Half of them say that nothing follows, and learn what was wrong; the others go.
    for (number, client) in clients.enumerated() {
      guard number % 2 == 0 else {
        client.socket.close()
        await client.untilEnded()
        continue
      }
      #expect(try await client.replies(to: "").first?["error"]?["data"]?["kind"] == "parse")
    }
  }

  @Test func aCallThatComesByteByByteIsAnswered() async throws {
    let clients = try (0..<20).map { _ in try ServedClient() }
    for byte in (Self.ping + "\n").utf8 { for client in clients { try await client.socket.write([byte]) } }
    for client in clients { #expect(try await client.replies(to: "").first?["result"] != nil) }
  }

  @Test func emptyLinesAreReadAndDropped() async throws {
    let client = try ServedClient()
    let empty = String(repeating: "\n", count: Self.isSoak ? 1_000_000 : 200_000)
    #expect(try await client.replies(to: empty + Self.ping).map { $0["id"] } == [1])
  }

  /// The replies that it does not take stop its own calls, and no others.
  @Test func aClientThatTakesNoRepliesMakesNoMoreCalls() async throws {
    let (size, count) = (1 << 18, 110)
    let text = "\"\(String(repeating: "x", count: size))\""
    let made = Counter()
    let large = RPCMethod("large", needs: nil) { _ in
      made.add(1)
      return text
    }
    let client = try ServedClient([large])
    for id in 0..<count {
      try await client.write("{\"jsonrpc\":\"2.0\",\"id\":\(id),\"method\":\"large\"}\n")
    }
    let enough = RPCLimits.reply / size
    while made.value < enough {
      try Task.checkCancellation()
      await Task.yield()
    }
    let other = try ServedClient()
    let pings = (0..<5000).map { "{\"jsonrpc\":\"2.0\",\"id\":\($0),\"method\":\"daemon.ping\"}\n" }
    #expect(try await other.replies(to: pings.joined()).count == 5000)
    #expect(made.value <= enough + RPCLimits.calls + 1)
    // It takes them at last.
    client.socket.endWriting()
    var replies = 0
    var reader = LineReader(client.socket, limit: RPCLimits.reply)
    while let line = try await reader.next(), line.bytes.count > size { replies += 1 }
    #expect(replies == count)
  }
}
