internal import CSessionCore
public import SessionCore

/// A client's request to a server through the network (version 4).
public struct OnionVisit: Sendable {
  /// The largest sealed request and the largest sealed reply, in bytes.
  public static let maxBytes = OnionBlock.maxBytes

  /// The request; nil if the client sealed something else.
  public let request: ServerRequest?
  /// Seals the reply for the client.
  public let seal: OnionSeal

  /// Opens a request posted by the last hop. Throws if it cannot be decrypted; then no reply can be sealed.
  public init(opening bytes: [UInt8], keys: ExchangeKeys) throws(SessionError) {
    (request, seal) = try bytes.lend { (bytes) throws(SessionError) in
      var block = sc_onion_block()
      try Core.call { sc_onion_block_parse(&block, SC_ONION_AT_SERVER, Self.maxBytes, bytes) }
      return (
        try ServerRequest.open(block, keys),
        OnionSeal(cipher: block.cipher, clientKey: array(block.ephemeral_key), keys: keys)
      )
    }
  }
}

/// The key that seals a server's reply to one client.
public struct OnionSeal: Sendable {
  fileprivate let cipher: sc_hop_cipher
  fileprivate let clientKey: [UInt8]
  fileprivate let keys: ExchangeKeys

  /// Seals a reply. Each header name occurs once. Throws `tooLarge`, and `onionReply` for a reply that no client
  /// would read.
  public func callAsFunction(
    status: Int, headers: [ServerResponse.Header], body: [UInt8]
  ) throws(SessionError) -> [UInt8] {
    var block = sc_onion_block()
    block.cipher = cipher
    fill(&block.ephemeral_key, with: clientKey)
    let plain = try write(status, headers, body)
    return try plain.lend { (plain) throws(SessionError) in
      try keys.withPair { (pair) throws(SessionError) in
        try Core.bytes { sc_onion_reply_seal_raw($0, nil, &block, pair, plain) }
      }
    }
  }

  private func write(
    _ status: Int, _ headers: [ServerResponse.Header], _ body: [UInt8]
  ) throws(SessionError) -> [UInt8] {
    let loan = CoreArena()
    let fields = headers.map { sc_onion_header(name: loan.text($0.name), value: loan.text($0.value)) }
    return try body.lend { (body) throws(SessionError) in
      try withExtendedLifetime(loan) { () throws(SessionError) in
        // Some clients expect a body after every head, even an empty one.
        var response = sc_onion_response(
          status: Int32(clamping: status), headers: loan.list(fields), header_count: fields.count,
          kind: SC_ONION_BODY_BYTES, body: body)
        return try Core.bytes { sc_onion_response_write($0, &response) }
      }
    }
  }
}

extension ServerRequest {
  fileprivate static func open(
    _ block: sc_onion_block, _ keys: ExchangeKeys
  ) throws(SessionError) -> ServerRequest? {
    var plain = sc_buffer()
    defer { sc_buffer_free(&plain) }
    try keys.withPair { (pair) throws(SessionError) in
      try Core.call {
        sc_hop_open(&plain, block.cipher, SC_HOP_SERVER, pair, array(block.ephemeral_key), block.sealed)
      }
    }
    var parsed = sc_onion_parsed_request()
    let status = sc_onion_request_parse(&parsed, nil, sc_bytes(plain.content))
    guard status != SC_ERR_ONION_REQUEST else { return nil }
    try Core.call { status }
    defer { sc_onion_parsed_request_free(&parsed) }
    return ServerRequest(parsed.request)
  }
}
