import SessionHTTP
import SessionNodeCore
import Synchronization
import Testing

@testable import SessionServers

/// The memory of requests.
@Suite(.timeLimit(.minutes(5))) struct RequestDispatcherTests {
  /// Answers uploads on demand, after their first piece, and all other requests at once.
  private final class Answering: RequestAnswering {
    private let begun = Atomic(0)
    private let isOpen = Atomic(false)

    var uploads: Int { begun.load(ordering: .relaxed) }

    func open() { isOpen.store(true, ordering: .relaxed) }

    func answer(_ request: HTTPRequest, over way: ServerMetrics.Way) async -> HTTPResponse {
      guard takesPieces(request) else {
        _ = try? await request.body.collect(upTo: 100)
        return .text(200, "small")
      }
      _ = try? await request.body.next()
      begun.wrappingAdd(1, ordering: .relaxed)
      while !isOpen.load(ordering: .relaxed), !Task.isCancelled { await Task.yield() }
      return .text(200, "large")
    }

    func refusal(_ refusal: ServerRefusal) -> HTTPResponse { .refusal(refusal) }

    func target(of endpoint: String) -> HTTPTarget? { HTTPTarget(unicode: endpoint) }

    func takesPieces(_ request: HTTPRequest) -> Bool { request.method == .post }
  }

  @Test(.timeLimit(.minutes(5))) func smallRequestsDoNotWaitForUploads() async throws {
    var options = OnionHTTPServer.Options()
    options.memory = 64 * 1024 * 1024
    let answering = Answering()
    let dispatcher = RequestDispatcher(keys: try .random(), options: options, answering: answering)
    let target = try #require(HTTPTarget(unicode: "/file"))
    // More than the memory of small requests has room for.
    let count = 100
    await withTaskGroup { group in
      for _ in 0..<count {
        group.addTask {
          let piece = [UInt8](repeating: 7, count: 300_000)
          let response = await dispatcher.answer(HTTPRequest(.post, target, body: HTTPBody(piece)))
          #expect(response.status == 200)
        }
      }
      while answering.uploads < count, !Task.isCancelled { await Task.yield() }
      let response = await dispatcher.answer(HTTPRequest(.get, target, body: HTTPBody([1])))
      #expect(response.status == 200)
      answering.open()
    }
  }
}
