import FoundationEssentials
import SessionCore

/// The reply of a file server. It is untrusted input: every value is validated.
struct FileReceipt: Sendable {
  /// The longest name of a file.
  static let maxIDLength = 128
  /// The largest accepted reply.
  static let maxBytes = 64 * 1024

  let id: String
  let dates: Dates

  /// Throws `transient` for an invalid receipt, because another attempt may succeed.
  init(uploadedAs body: [UInt8]) throws(NetworkFailure) {
    guard let named = try? decode(Named.self, from: body), Self.isUsable(named.id.text) else {
      throw NetworkFailure(.transient, "the file server returned no name for the file")
    }
    id = named.id.text
    dates = try Dates(in: body)
  }

  private static func isUsable(_ id: String) -> Bool {
    !id.isEmpty && id.utf8.count <= maxIDLength
      && id.utf8.allSatisfy { byte in
        switch byte {
        case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
          UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "-"), UInt8(ascii: "_"):
          true
        default: false
        }
      }
  }

  private struct Named: Decodable {
    let id: Name
  }

  /// Older servers use numbers as ids, and some encode them as JSON numbers.
  private struct Name: Decodable {
    let text: String

    init(from decoder: any Decoder) throws {
      let container = try decoder.singleValueContainer()
      if let text = try? container.decode(String.self) {
        self.text = text
      } else {
        text = String(try container.decode(UInt64.self))
      }
    }
  }
}

extension FileReceipt {
  /// The times of a file, in seconds since 1970.
  struct Dates: Decodable {
    private let size: Double?
    private let uploaded: Double?
    private let expires: Double?

    /// The longest accepted lifetime.
    private static let longest: Double = 5 * 365 * 24 * 3600

    init(in body: [UInt8]) throws(NetworkFailure) {
      guard let dates = try? decode(Self.self, from: body) else {
        throw NetworkFailure(.transient, "the file server sent an invalid reply")
      }
      self = dates
    }

    init(from decoder: any Decoder) throws {
      let container = try decoder.container(keyedBy: CodingKeys.self)
      func number(_ key: CodingKeys) -> Double? {
        (try? container.decode(Double.self, forKey: key)).flatMap { $0.isFinite ? $0 : nil }
      }
      (size, uploaded, expires) = (number(.size), number(.uploaded), number(.expires))
    }

    private enum CodingKeys: String, CodingKey {
      case size, uploaded, expires
    }

    /// The reported value, or the default if it is impossible.
    func expiry(after now: MessageTime) -> MessageTime {
      let seconds = Double(now.milliseconds) / 1000
      let usual = seconds + Double(FileClient.lifetime.components.seconds)
      let said = expires.flatMap { expires in
        expires > max(uploaded ?? 0, seconds) && expires < seconds + Self.longest ? expires : nil
      }
      return (try? MessageTime(milliseconds: UInt64((said ?? usual) * 1000))) ?? now
    }

    func info(at now: MessageTime) -> FileInfo {
      let bytes = size.flatMap { $0 >= 0 && $0 <= Double(UInt32.max) ? Int($0) : nil }
      return FileInfo(size: bytes, expiresAt: expiry(after: now))
    }
  }
}

private func decode<Value: Decodable>(_ type: Value.Type, from body: [UInt8]) throws -> Value {
  guard body.count <= FileReceipt.maxBytes else {
    throw DecodingError.dataCorrupted(.init(codingPath: [], debugDescription: "too long"))
  }
  return try JSONDecoder().decode(type, from: Data(body))
}
