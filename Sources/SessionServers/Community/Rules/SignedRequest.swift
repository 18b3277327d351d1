import SessionCore
import SessionHTTP

/// The headers by which a person signs a request.
struct SignedRequest: Hashable, Sendable {
  static let headerNames = ["X-SOGS-Pubkey", "X-SOGS-Timestamp", "X-SOGS-Nonce", "X-SOGS-Signature"]
  static let nonceBytes = CommunityIdentity.Request.nonceBytes
  /// The allowed difference of a client's clock, in seconds.
  static let maxSkew: Int64 = 24 * 3600

  /// The id that signed: unblinded or blinded.
  let signer: SessionID
  /// Seconds since 1970.
  let timestamp: Int64
  let nonce: [UInt8]
  private let signature: [UInt8]

  /// Nil without any of the headers. Throws 400 for missing, repeated or malformed ones.
  init?(_ headers: HTTPHeaders) throws(CommunityRefusal) {
    let fields = Self.headerNames.map { headers.values(of: $0) }
    if fields.allSatisfy(\.isEmpty) { return nil }
    guard fields.allSatisfy({ $0.count == 1 }) else {
      throw .invalid("Invalid authentication: each of the four X-SOGS headers is needed once")
    }
    guard let key = Self.bytes(fields[0][0], count: 33), let signer = try? SessionID(bytes: key),
      [.unblinded, .blinded15, .blinded25].contains(signer.kind)
    else { throw .invalid("Invalid authentication: X-SOGS-Pubkey is not a valid 66-hex digit id") }
    guard let timestamp = Int64(fields[1][0]), timestamp >= 0, String(timestamp) == fields[1][0],
      timestamp < Int64.max / 1000
    else { throw .invalid("Invalid authentication: X-SOGS-Timestamp is not a valid timestamp") }
    guard let nonce = Self.bytes(fields[2][0], count: Self.nonceBytes) else {
      throw .invalid(
        "Invalid authentication: X-SOGS-Nonce is not 16 bytes (22 base64 characters or 32 hex digits)")
    }
    guard let signature = Self.bytes(fields[3][0], count: 64) else {
      throw .invalid("Invalid authentication: X-SOGS-Signature is not base64[88]")
    }
    (self.signer, self.timestamp, self.nonce, self.signature) = (signer, timestamp, nonce, signature)
  }

  /// Bytes as hexadecimal digits or base64; nil for another number of them.
  private static func bytes(_ text: String, count: Int) -> [UInt8]? {
    let read = text.utf8.count == count * 2 ? try? [UInt8](hex: text.utf8) : try? [UInt8](base64: text.utf8)
    return read?.count == count ? read : nil
  }

  /// Throws 425 for a wrong clock, `now` being milliseconds since 1970.
  func checkTime(now: Int64) throws(CommunityRefusal) {
    guard abs(now / 1000 - timestamp) <= Self.maxSkew else {
      throw CommunityRefusal(425, "Invalid authentication: X-SOGS-Timestamp is too far from current time")
    }
  }

  /// The body of a request, or the BLAKE2b hash of one that came in pieces.
  enum Body: Hashable, Sendable {
    case bytes([UInt8])
    case hash([UInt8])
  }

  /// Throws 401 unless the signer has signed the request. The path is decoded, the query is not.
  func checkSignature(
    of method: String, _ path: String, body: Body, server: [UInt8]
  ) throws(CommunityRefusal) {
    let text = try? request(method, path, body).signedText(for: server)
    guard let text, (try? Signature.verify(signature, of: text, by: signer.key)) != nil else {
      throw CommunityRefusal(401, "Invalid authentication: X-SOGS-Signature verification failed")
    }
  }

  private func request(
    _ method: String, _ path: String, _ body: Body
  ) throws(SessionError) -> CommunityIdentity.Request {
    let time = try MessageTime(milliseconds: UInt64(timestamp) * 1000)
    return switch body {
    case .bytes(let bytes): CommunityIdentity.Request(method, path, body: bytes, nonce: nonce, at: time)
    case .hash(let hash): try CommunityIdentity.Request(method, path, bodyHash: hash, nonce: nonce, at: time)
    }
  }

  /// The id that others see: an unblinded signer appears as their account id.
  var author: SessionID? {
    guard signer.kind == .unblinded else { return signer }
    return (try? Core.exchangeKey(of: signer.key)).flatMap { try? SessionID(.standard, key: $0) }
  }

  /// When the nonce may be used again: milliseconds since 1970.
  var nonceExpiry: Int64 { (timestamp + Self.maxSkew) * 1000 }
}
