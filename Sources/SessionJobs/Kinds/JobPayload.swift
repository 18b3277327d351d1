import FoundationEssentials

/// The encoding of payloads: JSON with sorted keys, so that equal payloads are equal bytes.
public enum JobPayload {
  /// The size limit of a payload.
  public static let maxSize = 1 << 20

  private static let encoder = {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
    return encoder
  }()
  private static let decoder = JSONDecoder()

  public static func encode(_ value: some Encodable) throws -> [UInt8] { Array(try encoder.encode(value)) }

  public static func decode<Value: Decodable>(_ type: Value.Type, from payload: [UInt8]) throws -> Value {
    try decoder.decode(type, from: Data(payload))
  }
}
