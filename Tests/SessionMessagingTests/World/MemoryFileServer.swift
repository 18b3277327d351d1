import Foundation
import SessionCore
import SessionNetworking
import Synchronization

/// A file server in memory, which keeps files for two weeks and does what a test says.
final class MemoryFileServer: ServerService {
  /// The result of a request.
  enum Fate: Sendable {
    case done
    /// It answers with a status, and does nothing.
    case refused(Int)
    /// It does not get it.
    case unreached(NetworkFailure)
    /// Done, but the reply is lost.
    case lost
    /// It answers something else.
    case answered([UInt8], headers: [ServerResponse.Header] = [])
    /// It waits until the test lets it go on.
    case held
  }

  struct Kept: Sendable {
    let bytes: [UInt8]
    var until: Int64
  }

  private struct State {
    var files: [String: Kept] = [:]
    var number = 0
    var hasNumericNames = false
    var fate: @Sendable (ServerRequest) -> Fate = { _ in .done }
    var requests: [ServerRequest] = []
  }

  private let clock: VirtualClock
  private let state = Mutex(State())
  private let gate = Gate()
  let address: FileServer

  init(_ clock: VirtualClock) {
    self.clock = clock
    let key = try! Account.generate().ed25519PublicKey
    address = try! FileServer(.http, host: "files.test", key: key)
  }

  var client: FileClient { FileClient(through: self, FileServers(address)) }

  // MARK: What tests say

  func decide(_ fate: @escaping @Sendable (ServerRequest) -> Fate) { state.withLock { $0.fate = fate } }

  /// Numbers files, as old servers do.
  func useNumericNames() { state.withLock { $0.hasNumericNames = true } }

  /// Puts something there, as anybody can.
  func put(_ bytes: [UInt8], isStream: Bool = false) throws -> FileURL {
    try address.url(of: keep(bytes), isStream: isStream)
  }

  func forget(_ id: String) { _ = state.withLock { $0.files.removeValue(forKey: id) } }

  /// Lets the requests that wait go on.
  func release() { gate.release() }

  // MARK: What tests see

  var files: [String: Kept] { state.withLock { $0.files } }
  func requests(_ method: ServerRequest.Method, _ suffix: String = "") -> Int {
    state.withLock { $0.requests.filter { $0.method == method && $0.endpoint.hasSuffix(suffix) }.count }
  }

  var uploads: Int { requests(.post, "/file") }

  /// Returns when a request waits.
  func untilHeld() async { await gate.untilHeld() }

  // MARK: Service

  func send(
    _ request: ServerRequest, to server: OnionServer, _ delivery: Network.Delivery
  ) async throws(NetworkFailure) -> ServerResponse {
    let fate = state.withLock { state in
      state.requests.append(request)
      return state.fate
    }(request)
    switch fate {
    case .done: return answer(request)
    case .refused(let status): return response(status, Array(#"{"status_code":\#(status)}"#.utf8))
    case .unreached(let failure): throw failure
    case .lost:
      _ = answer(request)
      throw NetworkFailure(.transient, "the reply was lost")
    case .answered(let bytes, let headers): return response(200, bytes, headers)
    case .held:
      await gate.wait()
      guard !Task.isCancelled else { throw NetworkFailure(.cancelled, "the request was cancelled") }
      return answer(request)
    }
  }

  private static let lifetime: Int64 = 14 * 86_400_000

  private func keep(_ bytes: [UInt8]) -> String {
    state.withLock { state in
      state.number += 1
      let digits = "\(state.number)"
      let id =
        state.hasNumericNames ? digits : String(repeating: "A", count: 44 - digits.utf8.count) + digits
      state.files[id] = Kept(bytes: bytes, until: clock.now + Self.lifetime)
      return id
    }
  }

  private func answer(_ request: ServerRequest) -> ServerResponse {
    let parts = request.endpoint.split(separator: "/").map(String.init)
    if request.method == .post, parts == ["file"] {
      guard let body = request.body, !body.isEmpty, body.count <= FileClient.maxBytes else {
        return response(413, [])
      }
      let id = keep(body)
      return response(200, Array(#"{"id":"\#(id)","expires":\#((clock.now + Self.lifetime) / 1000)}"#.utf8))
    }
    guard parts.count >= 2, parts[0] == "file", let file = files[parts[1]], file.until > clock.now else {
      return response(404, [])
    }
    if parts.count == 2 { return response(200, file.bytes) }
    if parts[2] == "extend" {
      state.withLock { $0.files[parts[1]]?.until = clock.now + Self.lifetime }
    }
    let until = files[parts[1]]?.until ?? 0
    return response(200, Array(#"{"size":\#(file.bytes.count),"expires":\#(until / 1000)}"#.utf8))
  }

  private func response(
    _ status: Int, _ body: [UInt8], _ headers: [ServerResponse.Header] = []
  ) -> ServerResponse {
    ServerResponse(status: status, headers: headers, bodyKind: .bytes, body: body, attempts: 1)
  }
}
