import SessionCore

/// Names the values of bt, the bencode of Session, and what in them is not as it should be.
struct BtInspection {
  private static let maxDepth = 32

  private enum Mistake: String, Error {
    case cutOff = "it is cut off"
    case number = "no number"
    case depth = "nested too deeply"
    case key = "a key that is no string"
    case size = "a length that is none"
    case kind = "nothing that bt has"
    case much = "more than is shown"
  }

  private let bytes: [UInt8]
  private var at = 0
  private var room = Inspection.maxParts
  /// Once there was a mistake nothing more is read.
  private var isBroken = false

  private init(_ bytes: [UInt8]) {
    self.bytes = bytes
  }

  static func inspect(_ bytes: [UInt8]) -> Inspection {
    var reader = BtInspection(bytes)
    var whole = Inspection("bt", at: bytes.indices)
    reader.read(into: &whole) { (reader) throws(Mistake) in [try reader.value(named: nil, depth: 0)] }
    if !reader.isBroken, reader.at < bytes.count {
      let rest = reader.at..<bytes.count
      whole.parts.append(
        Inspection("after the end", at: rest, value: ShownBytes.textOrHex(bytes[rest]), verdict: .bad))
    }
    return whole
  }

  /// Adds what is read to `whole`; after a mistake, what is left, and why.
  private mutating func read(
    into whole: inout Inspection, _ next: (inout BtInspection) throws(Mistake) -> [Inspection]
  ) {
    do throws(Mistake) {
      whole.parts += try next(&self)
    } catch {
      let rest = at..<bytes.count
      whole.parts.append(
        Inspection(
          "no value", at: rest, value: "\(error.rawValue): \(ShownBytes.textOrHex(bytes[rest]))",
          verdict: .bad))
      at = bytes.count
      isBroken = true
    }
  }

  private mutating func value(named name: String?, depth: Int) throws(Mistake) -> Inspection {
    guard depth < Self.maxDepth else { throw .depth }
    guard room > 0 else { throw .much }
    room -= 1
    switch try peek() {
    case UInt8(ascii: "i"): return try integer(named: name)
    case UInt8(ascii: "l"):
      return container(named: name, "list") { (reader) throws(Mistake) in
        try reader.value(named: nil, depth: depth + 1)
      }
    case UInt8(ascii: "d"):
      var last: ArraySlice<UInt8>?
      return container(named: name, "dict") { (reader) throws(Mistake) in
        try reader.entry(after: &last, depth: depth)
      }
    case UInt8(ascii: "0")...UInt8(ascii: "9"): return try string(named: name, depth: depth)
    default: throw .kind
    }
  }

  /// A container up to its end, or up to a mistake inside.
  private mutating func container(
    named name: String?, _ kind: String, _ element: (inout BtInspection) throws(Mistake) -> Inspection
  ) -> Inspection {
    let start = at
    var shown = Inspection(name ?? kind, value: name == nil ? nil : kind)
    var isOver = false
    at += 1
    while !isOver, !isBroken {
      read(into: &shown) { (reader) throws(Mistake) in
        isOver = try reader.peek() == UInt8(ascii: "e")
        return isOver ? [] : [try element(&reader)]
      }
    }
    if isOver { at += 1 }
    shown.place = start..<at
    return shown
  }

  private mutating func entry(
    after last: inout ArraySlice<UInt8>?, depth: Int
  ) throws(Mistake) -> Inspection {
    guard (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(try peek()) else { throw .key }
    let key = bytes[try takeString().body]
    var entry = try value(named: ShownBytes.textOrHex(key), depth: depth + 1)
    if let last, !last.lexicographicallyPrecedes(key) {
      entry.verdict = .bad
      entry.value = "key out of order" + (entry.value.map { "; " + $0 } ?? "")
    }
    last = key
    return entry
  }

  private mutating func integer(named name: String?) throws(Mistake) -> Inspection {
    let start = at
    guard let end = bytes[at...].firstIndex(of: UInt8(ascii: "e")) else { throw .cutOff }
    let digits = String(decoding: bytes[(at + 1)..<end], as: UTF8.self)
    guard Int64(digits) != nil || UInt64(digits) != nil, !digits.hasPrefix("+") else { throw .number }
    at = end + 1
    let canonical = Int64(digits).map(String.init) ?? UInt64(digits).map(String.init)
    return Inspection(
      name ?? "integer", at: start..<at,
      value: digits + (digits == canonical ? "" : ", with spare characters"),
      verdict: digits == canonical ? nil : .bad)
  }

  private mutating func string(named name: String?, depth: Int) throws(Mistake) -> Inspection {
    let start = at
    let (body, isCanonical) = try takeString()
    var shown = Inspection(
      name ?? "string", at: start..<at, value: ShownBytes.textOrHex(bytes[body]),
      verdict: isCanonical ? nil : .bad)
    if let inside = bt(inside: body, depth: depth) {
      shown.value = "\(body.count) bytes that are bt"
      shown.parts = [inside]
    }
    return shown
  }

  /// A string often holds bt of its own; only containers are taken for it.
  private mutating func bt(inside body: Range<Int>, depth: Int) -> Inspection? {
    guard let first = bytes[body].first, first == UInt8(ascii: "d") || first == UInt8(ascii: "l") else {
      return nil
    }
    var inner = self
    inner.at = body.lowerBound
    guard let value = try? inner.value(named: nil, depth: depth + 1), !inner.isBroken,
      inner.at == body.upperBound
    else { return nil }
    room = inner.room
    return value
  }

  private mutating func takeString() throws(Mistake) -> (body: Range<Int>, isCanonical: Bool) {
    guard let colon = bytes[at...].prefix(12).firstIndex(of: UInt8(ascii: ":")),
      let length = Int(String(decoding: bytes[at..<colon], as: UTF8.self)), length >= 0
    else { throw .size }
    guard length <= bytes.count - colon - 1 else { throw .cutOff }
    let isCanonical = colon - at == String(length).utf8.count
    let body = (colon + 1)..<(colon + 1 + length)
    at = body.upperBound
    return (body, isCanonical)
  }

  private func peek() throws(Mistake) -> UInt8 {
    guard at < bytes.count else { throw .cutOff }
    return bytes[at]
  }
}
