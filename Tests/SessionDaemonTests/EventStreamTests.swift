import SessionBase
import SessionCore
import SessionMessaging
import Synchronization
import Testing

@testable import SessionDaemon

/// Events as Server-Sent Events.
@Suite(.timeLimit(.minutes(5))) struct EventStreamTests {
  /// What the stream subscribed to and acknowledged.
  private final class Source: Sendable {
    let subscribed = Mutex<[String]>([])
    let (acknowledged, noting) = AsyncStream.makeStream(of: Int64.self)

    /// The methods of events, with these notifications behind the subscription.
    func methods(_ notifications: [String], newest: Int = 5) -> [RPCMethod] {
      [
        RPCMethod("events.subscribe", needs: .read) { [self] call in
          subscribed.withLock { $0.append(call.params.description) }
          let cursor = call.params["from"]?.integer ?? 3
          call.connection.doMeanwhile {
            for text in notifications {
              let cut = text.firstIndex(of: " ") ?? text.endIndex
              try? await call.connection.tell(String(text[..<cut]), String(text[cut...].dropFirst()))
            }
            await Latch().wait()
          }
          return
            #"{"subscription":"s1","positions":[{"account":"a","cursor":\#(cursor),"newest":\#(newest)}]}"#
        },
        RPCMethod("events.ack", needs: .read) { [self] call in
          noting.yield(call.params["cursor"]?.integer ?? 0)
          return "{}"
        },
      ]
    }
  }

  private static let event =
    #"event {"subscription":"s1","account":"a","event":{"event":"messageReceived","cursor":4,"body":"x\ny"}}"#

  /// The beginning of a stream, up to some text.
  private func beginning(_ socket: StreamSocket, upTo end: String) async throws -> String {
    var text = ""
    while !text.hasSuffix(end), let piece = try await socket.read() {
      text += String(decoding: piece.bytes, as: UTF8.self)
    }
    return text
  }

  private func open(_ site: HTTPSite, _ query: String, _ secret: String) async throws -> StreamSocket {
    let socket = try site.connect()
    let request = HTTPText(to: site.host, secret).with("Content-Type", nil)
      .with(line: "GET /v1/events?\(query) HTTP/1.1")
    try await socket.write(Array(request.text.utf8))
    return socket
  }

  @Test func eventsHaveTheirCursorAsIDAndSignalsHaveNone() async throws {
    let source = Source()
    let site = try HTTPSite(
      source.methods([Self.event, #"signal {"kind":"gap","oldest":7}"#, "other {}", Self.event]))
    let socket = try await open(
      site, "account=a&kinds=messageReceived,reactionAdded", try await site.token("bot"))
    let event = """
      id: a:4
      event: messageReceived
      data: {"event":"messageReceived","cursor":4,"body":"x\\u000ay"}


      """
    let gap = "event: gap\ndata: {\"kind\":\"gap\",\"oldest\":7}\n\n"
    var text = ""
    while text.ranges(of: "\n\n").count < 3, let piece = try await socket.read() {
      text += String(decoding: piece.bytes, as: UTF8.self)
    }
    #expect(text.hasSuffix("\r\n\r\n" + event + gap + event))
    #expect(text.hasPrefix("HTTP/1.1 200 OK\r\n") && text.contains("Content-Type: text/event-stream\r\n"))
    #expect(!text.contains("Content-Length"))
    #expect(
      source.subscribed.withLock { $0 } == [#"{"account":"a","kinds":["messageReceived","reactionAdded"]}"#])
    socket.close()
    await site.service.stop()
  }

  @Test func writtenEventsAreAcknowledgedOnlyIfThatIsWanted() async throws {
    let source = Source()
    let site = try HTTPSite(source.methods([Self.event]))
    let secret = try await site.token("bot")
    let plain = try await open(site, "account=a&reader=r", secret)
    _ = try await beginning(plain, upTo: "\n\n")
    let auto = try await open(site, "account=a&reader=r&ack=auto", secret)
    _ = try await beginning(auto, upTo: "\n\n")
    for await cursor in source.acknowledged {
      #expect(cursor == 4)
      break
    }
    source.noting.finish()
    for await _ in source.acknowledged { Issue.record("the first stream acknowledged, too") }
    #expect(source.subscribed.withLock { $0 } == Array(repeating: #"{"account":"a","reader":"r"}"#, count: 2))
  }

  @Test func aStreamResumesBehindTheLastEvent() async throws {
    let source = Source()
    let site = try HTTPSite(source.methods([Self.event]))
    let secret = try await site.token("bot")
    let request = HTTPText(to: site.host, secret).with(line: "GET /v1/events?account=a HTTP/1.1")
    let socket = try site.connect()
    try await socket.write(Array(request.with("Last-Event-ID", "a:3").text.utf8))
    _ = try await beginning(socket, upTo: "\n\n")
    #expect(source.subscribed.withLock { $0 } == [#"{"account":"a","from":3}"#])
    for id in ["b:3", "a:x", "a:", "3", "a:-1", "a:6", ""] {
      let answer = try await site.answer(to: request.with("Last-Event-ID", id).text)
      #expect(answer.status == 400 && answer.body.contains("invalid-params"), "\(id): \(answer.text)")
    }
  }

  @Test(arguments: [
    ("", 400), ("reader=r", 400), ("account=a&accont=b", 400), ("account=a&account=b", 400),
    ("account=a&reader=r&ack=explicit", 400), ("account=a&ack=auto", 400), ("account=b", 404),
    ("account=c", 503),
    ("account=d", 403), ("account=e", 400),
  ])
  func aStreamThatCannotBeginHasAStatus(_ query: String, _ expected: Int) async throws {
    let refusing = RPCMethod("events.subscribe", needs: .read) { call in
      switch call.params["account"]?.string {
      case "b": throw RPCError.noAccount("b")
      case "c": throw RPCError(75, "reader-busy", "busy")
      case "d": throw RPCError(77, "permission", "no")
      default: throw RPCError.invalidParams("no")
      }
    }
    let site = try HTTPSite([refusing])
    let request = HTTPText(to: site.host, try await site.token("bot")).with(
      line: "GET /v1/events?\(query) HTTP/1.1")
    let answer = try await site.answer(to: request.text)
    #expect(answer.status == expected && answer.body.contains(#""kind":"#))
  }

  @Test func aRevokedTokenEndsWhatItOpened() async throws {
    let source = Source()
    let site = try HTTPSite(source.methods([]))
    let (revoked, kept) = (try await site.token("bot"), try await site.token("other"))
    let ends = try await open(site, "account=a", revoked)
    let stays = try await open(site, "account=a", kept)
    _ = try await (beginning(ends, upTo: "\r\n\r\n"), beginning(stays, upTo: "\r\n\r\n"))
    try await site.tokens.change { $0.removeAll { $0.name == "bot" } }
    #expect(try await ends.read() == nil)
    // The other one ends with the server.
    let stopping = Task { [service = site.service] in await service.stop() }
    #expect(try await stays.read() == nil)
    await stopping.value
  }

  @Test func thereIsALimitOfStreams() async throws {
    let site = try HTTPSite(Source().methods([]))
    let secret = try await site.token("bot")
    var streams: [StreamSocket] = []
    for _ in 0..<HTTPService.streams {
      let socket = try await open(site, "account=a", secret)
      _ = try await beginning(socket, upTo: "\r\n\r\n")
      streams.append(socket)
    }
    let request = HTTPText(to: site.host, secret).with(line: "GET /v1/events?account=a HTTP/1.1")
    #expect(try await site.answer(to: request.text).status == 503)
    for stream in streams { stream.close() }
    await site.service.stop()
  }

  /// Browsers give up when a stream is refused, so it begins with the gap.
  @Test(arguments: ["from=1", "reader=bot"])
  func aClientWhoseEventsAreGoneLearnsOfTheGapFirst(query: String) async throws {
    let places = Mutex<[JSONValue?]>([])
    let gap = #""oldest":8,"newest":9,"lost_from":2,"lost_to":7"#
    let subscribing = RPCMethod("events.subscribe", needs: .read) { call in
      places.withLock { $0.append(call.params["from"]) }
      if call.params["from"] == 1 {
        var error = RPCError(79, "gap", "events up to 7 are no longer kept")
        error.details = [
          .init("oldest", 8), .init("newest", 9), .init("lost_from", 2), .init("lost_to", 7),
        ]
        throw error
      }
      let told = call.params["from"] == nil ? #","gap":{\#(gap)}"# : ""
      return #"{"subscription":"s1","positions":[{"account":"a","cursor":7,"newest":9}]\#(told)}"#
    }
    let site = try HTTPSite([subscribing])
    let socket = try await open(site, "account=a&\(query)", try await site.token("bot"))
    let text = try await beginning(socket, upTo: "}\n\n")
    #expect(text.hasPrefix("HTTP/1.1 200 OK\r\n"))
    #expect(text.hasSuffix("\r\n\r\nevent: gap\ndata: {\"kind\":\"gap\",\(gap)}\n\n"))
    #expect(places.withLock { $0 } == (query == "from=1" ? [1, 7] : [nil]))
    socket.close()
    await site.service.stop()
  }
}
