import SessionCore
import SessionHTTP

extension HTTPClient {
  /// True if a node replies over HTTPS with its own key.
  func reaches(_ node: NodeRecord, within time: Duration) async -> Bool {
    let host = node.host.map(String.init).joined(separator: ".")
    var request = Request(.post, "https://\(host):\(node.httpsPort)/ping_test/v1", body: [])
    request.timeout = time
    request.maxReply = 64 * 1024
    let reply = try? await send(request)
    return reply?.status == 200 && reply?.headers[StorageNode.keyHeader] == node.legacyKey.base64
  }
}
