import SessionCore
import SessionHTTP

/// The headers that identify a returning client and nothing more: they use a key that cannot be linked to its account.
struct RequestSignature {
  private static let keyPrefix: UInt8 = 0x07
  /// The allowed difference of a client's clock, in seconds.
  private static let maxSkew: UInt64 = 24 * 3600

  private let key: [UInt8]
  private let timestamp: UInt64
  private let signature: [UInt8]

  /// Nil without any of the headers. Throws 400 for missing or invalid ones.
  init?(_ headers: HTTPHeaders) throws(ServerRefusal) {
    let fields = ["X-FS-Pubkey", "X-FS-Timestamp", "X-FS-Signature"].map { headers.values(of: $0) }
    if fields.allSatisfy(\.isEmpty) { return nil }
    guard fields.allSatisfy({ $0.count == 1 }), let key = try? [UInt8](hex: fields[0][0].utf8),
      key.count == 33,
      key[0] == Self.keyPrefix, let timestamp = Self.number(fields[1][0]),
      let signature = try? [UInt8](base64: fields[2][0].utf8), signature.count == 64
    else { throw .badRequest }
    (self.key, self.timestamp, self.signature) = (Array(key.dropFirst()), timestamp, signature)
  }

  /// Digits without a sign, and without zeros before them.
  private static func number(_ text: String) -> UInt64? {
    UInt64(text).flatMap { String($0) == text ? $0 : nil }
  }

  /// The key that has signed the request; `now` is in milliseconds since 1970. Throws 425 for a wrong clock, 401 for
  /// another signature.
  func signer(of request: HTTPRequest, body: [UInt8], now: UInt64) throws(ServerRefusal) -> [UInt8] {
    let seconds = now / 1000
    let skew = max(seconds, timestamp) - min(seconds, timestamp)
    guard skew <= Self.maxSkew else { throw .clock }
    let signed = Array("\(timestamp)\(request.method.rawValue)\(request.target.text)".utf8) + body
    guard (try? Signature.verify(signature, of: signed, by: key)) != nil else { throw .unauthorized }
    return key
  }
}
