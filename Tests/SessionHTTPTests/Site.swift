import SessionCore
import SessionHTTP
import Synchronization

/// A server on loopback and a client that asks it.
struct Site {
  let server: HTTPServer
  let client: HTTPClient

  var url: String { "http://\(server.address)" }

  func call(
    _ method: HTTPMethod = .get, _ target: String = "/", headers: HTTPHeaders = [:], body: [UInt8]? = nil
  ) async throws -> HTTPClient.Reply {
    try await client.send(.patient(method, url + target, headers: headers, body: body))
  }
}

/// Begins a server and a client, and stops them in the end.
func withSite(
  _ change: (inout HTTPServer.Options) -> Void = { _ in }, handler: @escaping HTTPServer.Handler,
  body: (Site) async throws -> Void
) async throws {
  var options = HTTPServer.Options()
  change(&options)
  let server = try HTTPServer(at: loopback(), options: options, handler: handler)
  let client = try HTTPClient(options: .patient)
  let outcome: Result<Void, any Error>
  do {
    outcome = .success(try await body(Site(server: server, client: client)))
  } catch {
    outcome = .failure(error)
  }
  await client.stop()
  await server.stop(grace: .zero)
  try outcome.get()
}

func loopback() throws -> NetworkAddress { try NetworkAddress(parsing: "127.0.0.1:0") }

/// Returns the error of `body`; nil if it succeeds.
func failure(_ body: () async throws -> Void) async -> HTTPError? {
  do {
    try await body()
    return nil
  } catch {
    return error as? HTTPError
  }
}

/// Something that some wait for and another brings about.
final class Gate: Sendable {
  private let state = Mutex((isOpen: false, waiting: [CheckedContinuation<Void, Never>]()))

  func open() {
    let waiting = state.withLock { state in
      state.isOpen = true
      defer { state.waiting = [] }
      return state.waiting
    }
    for waiting in waiting { waiting.resume() }
  }

  func wait() async {
    await withCheckedContinuation { waiting in
      let isOpen = state.withLock { state in
        if !state.isOpen { state.waiting.append(waiting) }
        return state.isOpen
      }
      if isOpen { waiting.resume() }
    }
  }
}

extension HTTPClient.Request {
  /// One that has all the time of a busy machine.
  static func patient(
    _ method: HTTPMethod, _ url: String, headers: HTTPHeaders = [:], body: [UInt8]? = nil
  ) -> HTTPClient.Request {
    var request = HTTPClient.Request(method, url, headers: headers, body: body)
    request.timeout = .seconds(600)
    return request
  }
}

extension HTTPClient.Options {
  static var patient: HTTPClient.Options {
    var options = HTTPClient.Options()
    options.connectTimeout = .seconds(600)
    return options
  }
}
