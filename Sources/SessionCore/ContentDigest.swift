/// A digest of fields and streams, to recognise equal content later. Each field is hashed with its length, so that
/// different lists of fields have different digests.
public struct ContentDigest: Sendable {
  public static let byteCount = 32

  /// The digest of the fields added so far.
  public private(set) var bytes = [UInt8](repeating: 0, count: byteCount)

  public init() {}

  public mutating func add(_ field: some Collection<UInt8>) throws(SessionError) {
    var message = bytes
    message.reserveCapacity(bytes.count + 8 + field.count)
    withUnsafeBytes(of: UInt64(field.count).littleEndian) { message += $0 }
    message += field
    bytes = try Core.hash(of: message)
  }
}
