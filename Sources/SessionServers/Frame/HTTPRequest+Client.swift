import SessionCore
import SessionHTTP

extension HTTPRequest {
  /// The address of a client. A trusted proxy in front of the server tells it, as the last one of those that it passed on;
  /// what others say of themselves is not believed.
  func client(behind proxies: [NetworkAddress]) -> NetworkAddress? {
    guard let peer, proxies.contains(where: { $0.hostBytes == peer.hostBytes }),
      let last = headers.values(of: "X-Forwarded-For").last?.split(separator: ",").last
    else { return peer }
    let host = String(last.filter { $0 != " " })
    return (try? NetworkAddress(parsing: host.contains(":") ? "[\(host)]:0" : "\(host):0")) ?? peer
  }
}
