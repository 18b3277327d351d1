import SessionBase
public import SessionCore
import SessionEndpoint
public import SessionHTTP
import SessionNodeCore

/// HTTPS for clients that need it. Requests are handled like those over QUIC.
extension StorageNode {
  /// Bytes of a request.
  static let maxHTTPBody = 10 * 1024 * 1024

  /// Also listens for HTTPS. Clients do not check the certificate: secrets are inside onion requests.
  public func listenForHTTPS(at address: NetworkAddress, as identity: TLSIdentity) throws(HTTPError) {
    var serverOptions = HTTPServer.Options()
    serverOptions.tls = identity
    serverOptions.maxBody = Self.maxHTTPBody
    serverOptions.maxHeldBytes = 128 * 1024 * 1024
    if !options.exemptsLoopback {
      serverOptions.maxConnectionsPerPeer = 32
      serverOptions.maxHeldBytesPerPeer = 32 * 1024 * 1024
    }
    let server = try HTTPServer(at: address, options: serverOptions) { [weak self] request in
      guard let self else { return .text(503, "Service node is not ready: shutting down\n") }
      return await self.answerHTTP(request)
    }
    var clientOptions = HTTPClient.Options()
    clientOptions.trust = .anyone
    use(server, try HTTPClient(options: clientOptions))
  }

  func answerHTTP(_ request: HTTPRequest) async -> HTTPResponse {
    guard request.headers["X-Loki-Long-Poll"] == nil else { return .text(410, "long polling was removed") }
    switch (request.method, request.target.segments) {
    case (.post, ["storage_rpc", "v1"]): return await answerBody(of: request, answerStorageCall)
    case (.post, ["onion_req", "v2"]): return await answerBody(of: request, answerOnion)
    case (.post, ["ping_test", "v1"]):
      return HTTPResponse(200, headers: [Self.keyHeader: keys.publicKey.base64])
    case (.get, ["get_stats", "v1"]):
      return .json(
        200, Array(#"{"version":"\#(NodeOptions.version.map(String.init).joined(separator: "."))"}"#.utf8))
    default: return .text(404, "Not Found")
    }
  }

  /// Reads the body of a request within the client's limits.
  private func answerBody(
    of request: HTTPRequest, _ answer: ([UInt8]) async -> HTTPResponse
  ) async -> HTTPResponse {
    do throws(NodeRefusal) { try admit(request.peer, key: nil) } catch {
      return .text(error.code, error.text)
    }
    guard request.body.declaredLength != nil else { return .text(400, "Content-Length is missing") }
    let body: [UInt8]
    do throws(HTTPError) {
      body = try await request.body.collect(upTo: Self.maxHTTPBody)
    } catch {
      switch error {
      case .tooLarge: return .text(413, "Payload Too Large")
      case .busy: return .text(503, "Server busy, try again later")
      // The client is gone, so there is no reply.
      default: return .text(400, "\(error)")
      }
    }
    // The node's end does not wait for requests that are still arriving.
    return await inFlight.counting { await answer(body) }
  }

  /// A storage request: method and parameters in JSON.
  private func answerStorageCall(_ body: [UInt8]) async -> HTTPResponse {
    do throws(NodeRefusal) {
      if let unreadiness { throw NodeRefusal(503, "Service node is not ready: \(unreadiness)\n") }
      let call = try StorageCall(call: body)
      let result = await answer(call)
      metrics.count(call.request.method, over: .https, code: result.code)
      let written = try write(result, to: call)
      switch written.kind {
      case .json: return .json(result.code, written.bytes)
      case .plain where result.isSuccess: return .bytes(result.code, written.bytes)
      default: return .text(result.code, String(decoding: written.bytes, as: UTF8.self))
      }
    } catch {
      metrics.count("refused", over: .https, code: error.code)
      return .text(error.code, error.text)
    }
  }

  private func answerOnion(_ body: [UInt8]) async -> HTTPResponse {
    do throws(OnionRefusal) {
      return .bytes(200, try await peel(body, from: .client))
    } catch {
      return .bytes(error.code, error.body)
    }
  }
}

// MARK: - Reachability

extension StorageNode {
  /// The header with a node's key.
  static let keyHeader = "X-Oxen-Snode-Pubkey"

  /// True if another node replies over HTTPS with its own key. Also true if it does not offer HTTPS, or this node
  /// does not.
  func answersHTTPS(_ other: NodeRecord) async -> Bool {
    guard other.httpsPort > 0, let client = httpClient else { return true }
    return await client.reaches(other, within: options.pingTimeout)
  }
}

extension HTTPResponse {
  fileprivate static func json(_ status: Int, _ bytes: [UInt8]) -> HTTPResponse {
    HTTPResponse(status, headers: ["Content-Type": "application/json"], body: .bytes(bytes))
  }

  fileprivate static func bytes(_ status: Int, _ bytes: [UInt8]) -> HTTPResponse {
    HTTPResponse(status, headers: ["Content-Type": "application/octet-stream"], body: .bytes(bytes))
  }
}
