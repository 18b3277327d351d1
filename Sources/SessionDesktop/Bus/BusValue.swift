import Glibc

/// A descriptor of a file that came with a message, closed with the last reference.
package final class BusFile: Hashable, Sendable {
  package let descriptor: Int32

  /// Takes over the descriptor.
  package init(adopting descriptor: Int32) { self.descriptor = descriptor }

  deinit { close(descriptor) }

  package static func == (a: BusFile, b: BusFile) -> Bool { a.descriptor == b.descriptor }
  package func hash(into hasher: inout Hasher) { hasher.combine(descriptor) }
}

/// A value of a D-Bus message.
package indirect enum BusValue: Hashable, Sendable {
  case byte(UInt8)
  case boolean(Bool)
  case int16(Int16)
  case uint16(UInt16)
  case int32(Int32)
  case uint32(UInt32)
  case int64(Int64)
  case uint64(UInt64)
  case double(Double)
  case string(String)
  case path(String)
  case signature(String)
  /// An open file, which the receiver gets a copy of.
  case file(BusFile)
  /// An array of bytes.
  case bytes([UInt8])
  /// The elements have this signature, which an empty array needs, too.
  case array(of: String, [BusValue])
  case structure([BusValue])
  /// An entry of a dictionary, which is an array of them.
  case entry(BusValue, BusValue)
  case variant(BusValue)

  /// A dictionary from texts to values of any kind.
  package static func options(_ members: [(String, BusValue)]) -> BusValue {
    .array(of: "{sv}", members.map { .entry(.string($0.0), .variant($0.1)) })
  }

  /// A dictionary from texts to texts.
  package static func texts(_ members: [(String, String)]) -> BusValue {
    .array(of: "{ss}", members.map { .entry(.string($0.0), .string($0.1)) })
  }

  package var signature: String {
    switch self {
    case .byte: "y"
    case .boolean: "b"
    case .int16: "n"
    case .uint16: "q"
    case .int32: "i"
    case .uint32: "u"
    case .int64: "x"
    case .uint64: "t"
    case .double: "d"
    case .string: "s"
    case .path: "o"
    case .signature: "g"
    case .file: "h"
    case .bytes: "ay"
    case .array(let element, _): "a" + element
    case .structure(let members): "(" + members.map(\.signature).joined() + ")"
    case .entry(let key, let value): "{" + key.signature + value.signature + "}"
    case .variant: "v"
    }
  }
}

extension BusValue {
  package var text: String? {
    switch self {
    case .string(let text), .path(let text): text
    default: nil
    }
  }

  package var number: UInt32? { if case .uint32(let number) = self { number } else { nil } }

  package var isTrue: Bool? { if case .boolean(let isTrue) = self { isTrue } else { nil } }

  package var content: [UInt8]? { if case .bytes(let bytes) = self { bytes } else { nil } }

  /// The elements of an array, or the members of a structure.
  package var elements: [BusValue]? {
    switch self {
    case .array(_, let elements), .structure(let elements): elements
    default: nil
    }
  }

  /// The paths of an array of them.
  package var paths: [String]? {
    guard case .array("o", let elements) = self else { return nil }
    return elements.compactMap(\.text)
  }

  /// The content of a variant.
  package var inner: BusValue? { if case .variant(let value) = self { value } else { nil } }
}
