import SessionCore
import SessionStorage

/// The row of a file.
struct StoredFile: Hashable, Sendable {
  /// Its name, derived from the content.
  let name: String
  /// Bytes.
  let size: Int
  /// When it came the last time: milliseconds since 1970.
  let uploaded: UInt64
  /// When it goes: milliseconds since 1970.
  let expires: UInt64
}

extension StoredFile: Record {
  static let columns: SQL = "name, size, uploaded, expires"

  init(_ row: borrowing Row) throws(StorageError) {
    let (uploaded, expires): (Int64, Int64) = (try row[2], try row[3])
    self.init(
      name: try row[0], size: try row[1], uploaded: UInt64(clamping: uploaded),
      expires: UInt64(clamping: expires))
  }
}

/// The identifier of a file in a request: its name, or a number for old clients.
enum FileHandle: Hashable, Sendable {
  case name(String)
  case number(Int64)

  /// The greatest number that every reader of JSON keeps as it is.
  static let maxNumber: Int64 = (1 << 53) - 1

  /// Nil for an invalid identifier.
  init?(_ text: String) {
    if text.utf8.count == FileName.length, text.utf8.allSatisfy(Self.isNameByte) {
      self = .name(text)
    } else if let number = Int64(text), (1...Self.maxNumber).contains(number), String(number) == text {
      self = .number(number)
    } else {
      return nil
    }
  }

  static func isNameByte(_ byte: UInt8) -> Bool {
    switch byte {
    case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
      UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "_"):
      true
    default: false
    }
  }
}
