import SessionCore
import SessionHTTP
import SessionNodeCore
import SessionService
import Synchronization
import Testing

@testable import SessionNode

@Suite(.timeLimit(.minutes(5))) struct WebGatewayTests {
  private final class Box<Value: Sendable>: Sendable {
    private let values = Mutex<[Value]>([])
    func add(_ value: Value) { values.withLock { $0.append(value) } }
    var all: [Value] { values.withLock { $0 } }
  }

  /// The requests that a server received, and its replies.
  private struct Server {
    let requests = Box<HTTPRequest>()
    let bodies = Box<[UInt8]>()
    let server: HTTPServer

    init(_ answer: @escaping @Sendable (HTTPRequest) async -> HTTPResponse) throws {
      server = try HTTPServer(at: NetworkAddress(parsing: "127.0.0.1:0")) { [requests, bodies] request in
        requests.add(request)
        bodies.add((try? await request.body.collect(upTo: 1 << 20)) ?? [])
        return await answer(request)
      }
    }

    var port: UInt16 { server.address.port }
  }

  private func target(_ host: String, _ port: UInt16, scheme: String = "http") -> OnionTarget {
    OnionTarget(url: "\(scheme)://\(host):\(port)/oxen/v4/lsrpc", host: host, port: port)
  }

  /// Sends a request to a server through a gateway.
  private func post(
    to host: String, of hosts: [String], _ answer: @escaping @Sendable (HTTPRequest) async -> HTTPResponse,
    change: (inout WebGateway.Options) -> Void = { _ in }
  ) async throws -> (Result<(code: Int, body: [UInt8]), ServerFailure>, [HTTPRequest], [[UInt8]]) {
    let server = try Server(answer)
    var options = WebGateway.Options(hosts: hosts.compactMap { HostRule($0) })
    options.timeout = .seconds(600)
    change(&options)
    let gateway = try WebGateway(options)
    let outcome: Result<(code: Int, body: [UInt8]), ServerFailure>
    do throws(ServerFailure) {
      outcome = .success(try await gateway.post([1, 2, 3], to: target(host, server.port)))
    } catch {
      outcome = .failure(error)
    }
    await gateway.stop()
    await server.server.stop(grace: .zero)
    return (outcome, server.requests.all, server.bodies.all)
  }

  private func failure(
    to host: String, of hosts: [String],
    _ answer: @escaping @Sendable (HTTPRequest) async -> HTTPResponse = { _ in .text(200, "reached") },
    change: (inout WebGateway.Options) -> Void = { _ in }
  ) async throws -> ServerFailure? {
    let (outcome, _, _) = try await post(to: host, of: hosts, answer, change: change)
    if case .failure(let failure) = outcome { return failure }
    return nil
  }

  @Test func aServerThatIsAllowedAnswers() async throws {
    let (outcome, requests, bodies) = try await post(to: "127.0.0.1", of: ["127.0.0.1"]) { _ in
      .text(418, "a teapot")
    } change: {
      $0.reachesPrivateAddresses = true
    }
    let reply = try outcome.get()
    #expect(reply.code == 418 && reply.body == Array("a teapot".utf8))
    let request = try #require(requests.first)
    #expect(request.method == .post && request.target.text == "/oxen/v4/lsrpc")
    #expect(request.headers["User-Agent"] == "Oxen Storage Server/2.11.0")
    #expect(request.headers["Content-Type"] == "application/octet-stream")
    #expect(bodies == [[1, 2, 3]])
  }

  @Test(arguments: [
    [], ["files.example"], ["127.0.0.1:1"], ["127.0.0.2"], ["*.0.0.1"], ["[::ffff:127.0.0.1]"],
  ])
  func unlistedHostsAreForbidden(hosts: [String]) async throws {
    let refused = try await failure(
      to: "127.0.0.1", of: hosts, change: { $0.reachesPrivateAddresses = true })
    #expect(refused == .forbidden)
  }

  /// A gateway refuses private addresses in every spelling, and names that resolve to them.
  @Test(arguments: [
    "127.0.0.1", "127.1", "2130706433", "0x7f000001", "[::1]", "[::ffff:127.0.0.1]", "localhost", "10.0.0.1",
    "169.254.169.254", "0.0.0.0", "224.0.0.1", "[fe80::1]", "[64:ff9b::7f00:1]",
  ])
  func privateAddressesAreForbidden(host: String) async throws {
    #expect(try await failure(to: host, of: ["*"]) == .forbidden)
  }

  @Test func aNameThatLeadsToAPrivateAddressIsForbidden() async throws {
    for hosts in [["10.0.0.1"], ["127.0.0.1"], ["1.1.1.1", "127.0.0.1"]] {
      let refused = try await failure(
        to: "files.example", of: ["files.example"],
        change: { options in
          options.lookUp = { _, port in hosts.compactMap { try? NetworkAddress(parsing: "\($0):\(port)") } }
        })
      #expect(refused == .forbidden)
    }
  }

  /// A name that resolves differently the second time is resolved once.
  @Test func aNameIsLookedUpOnce() async throws {
    let lookups = Mutex(0)
    let (outcome, requests, _) = try await post(to: "files.example", of: ["files.example"]) { _ in
      .text(200, "")
    } change: {
      $0.reachesPrivateAddresses = true
      $0.lookUp = { _, port in
        let count = lookups.withLock {
          $0 += 1
          return $0
        }
        return [count == 1 ? "127.0.0.1" : "127.0.0.9"].compactMap {
          try? NetworkAddress(parsing: "\($0):\(port)")
        }
      }
    }
    #expect(try outcome.get().code == 200)
    #expect(requests.count == 1)
    #expect(lookups.withLock { $0 } == 1)
  }

  @Test func aListOfAllIsNoWayToPrivateAddresses() {
    var options = WebGateway.Options(hosts: [HostRule("*:80")!])
    options.reachesPrivateAddresses = true
    let refused = options
    #expect(throws: ServiceFailure.self) { try WebGateway(refused) }
  }

  @Test func redirectsAreNotFollowed() async throws {
    let (outcome, requests, _) = try await post(to: "127.0.0.1", of: ["127.0.0.1"]) { _ in
      HTTPResponse(302, headers: ["Location": "/admin"])
    } change: {
      $0.reachesPrivateAddresses = true
    }
    #expect(try outcome.get().code == 302)
    #expect(requests.count == 1)
  }

  @Test func anAnswerThatIsTooLargeIsNotTaken() async throws {
    for (count, isTaken) in [(1000, true), (1001, false)] {
      let refused = try await failure(to: "127.0.0.1", of: ["127.0.0.1"]) { _ in
        HTTPResponse(200, body: .bytes([UInt8](repeating: 1, count: count)))
      } change: {
        $0.reachesPrivateAddresses = true
        $0.maxReply = 1000
      }
      #expect(refused == (isTaken ? nil : .unreachable("the reply of the server is too large")))
    }
  }

  @Test func aSilentServerIsNotWaitedFor() async throws {
    let (ends, ending) = AsyncStream.makeStream(of: Never.self)
    let refused = try await failure(to: "127.0.0.1", of: ["127.0.0.1"]) { _ in
      for await _ in ends {}
      return .text(200, "")
    } change: {
      $0.reachesPrivateAddresses = true
      $0.timeout = .milliseconds(100)
    }
    ending.finish()
    #expect(refused == .timeout)
  }

  @Test func unreachableServersAreReported() async throws {
    let unresolved = try await failure(
      to: "files.example", of: ["files.example"], change: { $0.lookUp = { _, _ in [] } })
    #expect(unresolved == .unreachable("the host name cannot be resolved"))
  }
}
