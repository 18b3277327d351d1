internal import CSessionCore
public import SessionCore

/// A request to a server as the last node of a path posts it: only the server with the key can answer it. It shows who
/// listens at an address.
public struct OnionProbe: ~Copyable {
  /// The path to which it is posted.
  public static let path = "/oxen/v4/lsrpc"

  /// What is posted.
  public let bytes: [UInt8]
  private let key: sc_onion_key

  /// A request for an endpoint of the server with a public key.
  public init(for endpoint: String, of server: [UInt8]) throws(SessionError) {
    let head = #"{"method":"GET","endpoint":"\#(endpoint)","headers":{}}"#
    var key = sc_onion_key()
    let loan = CoreArena()
    var destination = sc_onion_destination()
    destination.kind = SC_ONION_TO_SERVER
    fill(&destination.server.x25519, with: server)
    // The host is for the nodes of a path, of which there are none.
    destination.server.url = sc_onion_url(
      host: loan.text("server"), target: loan.text(Self.path), is_http: true, port: 0)
    bytes = try withExtendedLifetime(loan) { () throws(SessionError) in
      try Core.bytes(of: Array("l\(head.utf8.count):\(head)e".utf8)) { out, request in
        sc_onion_build(out, &key, nil, SC_HOP_XCHACHA20, nil, 0, &destination, request)
      }
    }
    self.key = key
  }

  deinit {
    var key = key
    sc_onion_key_wipe(&key)
  }

  /// The status of an answer; nil if it is none of the server with the key.
  public func status(of reply: [UInt8]) -> Int? {
    var (key, opened) = (key, sc_onion_opened_response())
    defer { sc_onion_key_wipe(&key) }
    let status = try? reply.lend { (reply) throws(SessionError) in
      try Core.call { sc_onion_response_open(&opened, nil, &key, reply) }
      defer { sc_onion_opened_response_free(&opened) }
      return Int(opened.response.status)
    }
    return status
  }
}
