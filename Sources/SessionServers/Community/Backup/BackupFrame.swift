import FoundationEssentials
import SessionCore

/// A piece of the body of a backup: its kind in a byte, the length of its payload in four, the payload, and a hash of all
/// of it and of the frame's number, so that plain backups show damage, too.
struct BackupFrame: Hashable, Sendable {
  enum Kind: UInt8, Sendable {
    /// What the backup is of: JSON of ``BackupFrame/Contents``. The first frame.
    case contents = 1
    /// The server's key.
    case key = 2
    /// The database, in as many frames as it takes.
    case database = 3
    /// The beginning of a file: JSON of ``BackupFrame/File``.
    case file = 4
    /// The content of a file.
    case content = 5
    /// The last frame: JSON of ``BackupFrame/Totals``.
    case end = 6
  }

  /// What a backup is of.
  struct Contents: Codable, Hashable, Sendable {
    /// The public key of the server, in hexadecimal digits.
    let server: String
    /// When the backup was begun: milliseconds since 1970.
    let created: Int64
    let databaseBytes: Int
  }

  struct File: Codable, Hashable, Sendable {
    let place: String
    let size: Int
  }

  struct Totals: Codable, Hashable, Sendable {
    let files: Int
  }

  /// Bytes of a payload.
  static let maxPayload = 1 << 20
  /// Bytes before and after the payload.
  static let headBytes = 5
  static let hashBytes = 16

  let kind: Kind
  let payload: [UInt8]

  init(_ kind: Kind, _ payload: [UInt8]) { (self.kind, self.payload) = (kind, payload) }

  init(_ kind: Kind, json value: some Encodable) throws {
    self.init(kind, Array(try JSONEncoder().encode(value)))
  }

  /// The value that a payload is the JSON of. Throws `damaged`.
  func value<Value: Decodable>(as type: Value.Type) throws -> Value {
    do { return try JSONDecoder().decode(type, from: Data(payload)) } catch {
      throw CommunityBackupFailure.damaged
    }
  }

  /// The frame of a number in the body, which counts from 0.
  func bytes(number: UInt64) throws(SessionError) -> [UInt8] {
    let frame = [kind.rawValue] + Self.bytes(UInt64(payload.count), count: 4) + payload
    return frame + (try Self.hash(of: frame, number: number))
  }

  static func hash(of frame: [UInt8], number: UInt64) throws(SessionError) -> [UInt8] {
    try Core.hash(of: frame + bytes(number, count: 8), count: hashBytes)
  }

  /// A number in so many bytes, the highest first.
  static func bytes(_ number: UInt64, count: Int) -> [UInt8] {
    (0..<count).reversed().map { UInt8(truncatingIfNeeded: number >> (8 * UInt64($0))) }
  }

  static func number(_ bytes: ArraySlice<UInt8>) -> UInt64 { bytes.reduce(0) { $0 << 8 | UInt64($1) } }
}
