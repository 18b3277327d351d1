import SessionBase
import SessionCore
import SessionHTTP
import SessionNodeCore
import SessionService
import Synchronization

/// Takes requests as they come: it bounds their memory, and decrypts requests and encrypts responses through the network.
struct RequestDispatcher: Sendable {
  /// The number of copies of a body in memory: as received, decrypted, and parsed.
  private static let copies = 3
  /// Bytes of a body that is read in pieces which are in memory: those that wait, and those that are handled.
  private static let window = 256 * 1024

  let keys: ExchangeKeys
  let options: OnionHTTPServer.Options
  private let answering: any RequestAnswering
  private let budget: MemoryBudget
  /// Files that are sealed are read one after the other.
  private let files = WorkerQueue("session.server.files")

  init(keys: ExchangeKeys, options: OnionHTTPServer.Options, answering: any RequestAnswering) {
    (self.keys, self.options, self.answering) = (keys, options, answering)
    budget = MemoryBudget(options.memory)
  }

  func answer(_ request: HTTPRequest) async -> HTTPResponse {
    var response = await plainAnswer(to: request)
    // Browsers must not take an answer for anything else than it says.
    if answering.forbidsSniffing { response.headers["X-Content-Type-Options"] = "nosniff" }
    return response
  }

  private func plainAnswer(to request: HTTPRequest) async -> HTTPResponse {
    guard Self.isOnionPath(request.target) else {
      return await answering.takesPieces(request)
        ? answerInPieces(request)
        : charging(request, upTo: options.maxBody) { await answering.answer($0, over: .plain) }
    }
    guard request.method == .post else { return answering.refusal(ServerRefusal(405)) }
    return await answerSealed(request)
  }

  /// Handles a request whose body goes elsewhere as it arrives: only some pieces of it are in memory at a time, and it is
  /// charged for all of these with the first one. Later pieces wait for no memory, as what they wait for elsewhere may be
  /// held by requests that wait for memory. Its client may keep it open for long, so it takes nothing of what small requests
  /// have for themselves.
  private func answerInPieces(_ request: HTTPRequest) async -> HTTPResponse {
    await budget.with(upTo: Self.window, isLarge: true) { share in
      let isCharged = Atomic(false)
      let body = request.body.charged { (_) throws(HTTPError) in
        guard !isCharged.exchange(true, ordering: .relaxed) else { return }
        do throws(CancellationError) { try await share.take(Self.window) } catch { throw .cancelled }
      }
      return await answering.answer(request.with(body), over: .plain)
    }
  }

  /// Handles a request whose body is charged as it arrives.
  private func charging<R>(
    _ request: HTTPRequest, upTo limit: Int, _ work: (HTTPRequest) async -> R
  ) async -> R {
    await budget.with(upTo: (request.body.declaredLength ?? limit) * Self.copies) { share in
      let body = request.body.charged { (bytes) throws(HTTPError) in
        do throws(CancellationError) { try await share.take(bytes * Self.copies) } catch { throw .cancelled }
      }
      return await work(request.with(body))
    }
  }

  private static func isOnionPath(_ target: HTTPTarget) -> Bool {
    target.segments == ["oxen", "v4", "lsrpc"]
  }

  // MARK: - Through the network

  private enum Sealed {
    /// The request does not decrypt.
    case refused(HTTPResponse)
    case answered(HTTPResponse, OnionSeal)
  }

  private func answerSealed(_ request: HTTPRequest) async -> HTTPResponse {
    switch await charging(request, upTo: OnionVisit.maxBytes, open) {
    case .refused(let response): return response
    case .answered(let response, let seal):
      let size = response.size * Self.copies
      return await budget.with(upTo: size) { share in
        do throws(CancellationError) { try await share.take(size) } catch {
          return answering.refusal(.overloaded)
        }
        return await close(response, with: seal)
      }
    }
  }

  private func open(_ request: HTTPRequest) async -> Sealed {
    let bytes: [UInt8]
    do throws(HTTPError) { bytes = try await request.body.collect(upTo: OnionVisit.maxBytes) } catch {
      return .refused(answering.refusal(ServerRefusal(error)))
    }
    // Without the client's key no reply can be sealed.
    guard let visit = try? OnionVisit(opening: bytes, keys: keys) else {
      return .refused(.text(400, "Invalid ciphertext"))
    }
    return .answered(await answer(visit, from: request.client(behind: options.trustedPeers)), visit.seal)
  }

  /// The peer is the last node of the path.
  private func answer(_ visit: OnionVisit, from peer: NetworkAddress?) async -> HTTPResponse {
    guard let sealed = visit.request else { return .text(400, "Invalid v4 onion request") }
    guard let target = answering.target(of: sealed.endpoint) else { return answering.refusal(.badRequest) }
    var headers = HTTPHeaders()
    for header in sealed.headers { headers.append(header.name, header.value) }
    let response = await answering.answer(
      HTTPRequest(
        HTTPMethod(sealed.method), target, headers: headers, body: HTTPBody(sealed.body ?? []), peer: peer),
      over: .onion)
    return sealed.method == .head
      ? HTTPResponse(response.status, headers: response.headers) : response
  }

  private func close(_ response: HTTPResponse, with seal: OnionSeal) async -> HTTPResponse {
    let refusal = answering.refusal(.failed)
    // Of a file that cannot be read, or is too large for the way back, there is still the status to tell.
    var sealed = await self.seal(response, with: seal)
    if sealed == nil { sealed = await self.seal(refusal, with: seal) }
    guard let sealed else { return refusal }
    return HTTPResponse(200, headers: ["Content-Type": "application/octet-stream"], body: .bytes(sealed))
  }

  /// Nil for an unreadable body, or a response that cannot be encrypted.
  private func seal(_ response: HTTPResponse, with seal: OnionSeal) async -> [UInt8]? {
    guard let body = await body(of: response) else { return nil }
    let headers = response.headers.fields.map { ServerResponse.Header($0.name.lowercased(), $0.value) }
    return try? seal(status: response.status, headers: headers, body: body)
  }

  /// The body; nil for a file that cannot be read.
  private func body(of response: HTTPResponse) async -> [UInt8]? {
    switch response.body {
    case .bytes(let bytes): bytes
    case .file(let file): await files.run { file.readAll() }
    }
  }
}

extension HTTPRequest {
  /// The same request with another body.
  fileprivate func with(_ body: HTTPBody) -> HTTPRequest {
    HTTPRequest(method, target, headers: headers, body: body, peer: peer)
  }
}

extension HTTPMethod {
  fileprivate init(_ method: ServerRequest.Method) {
    switch method {
    case .get: self = .get
    case .post: self = .post
    case .put: self = .put
    case .delete: self = .delete
    case .patch: self = .patch
    case .head: self = .head
    }
  }
}

extension HTTPResponse {
  fileprivate var size: Int {
    switch body {
    case .bytes(let bytes): bytes.count
    case .file(let file): file.size
    }
  }
}
