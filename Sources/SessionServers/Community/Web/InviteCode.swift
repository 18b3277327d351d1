internal import CQREncode

/// A link as a QR code, in the forms of pages.
struct InviteCode {
  private static let margin = 4
  private static let scale = 8

  /// True for a dark module; light ones are around.
  private let modules: [[Bool]]

  /// Nil for a text that is too long.
  init?(_ text: String) {
    guard let code = QRcode_encodeString(text, 0, QR_ECLEVEL_M, QR_MODE_8, 1) else { return nil }
    defer { QRcode_free(code) }
    let width = Int(code.pointee.width)
    // The lowest bit of a module tells if it is dark.
    let dark = UnsafeBufferPointer(start: code.pointee.data, count: width * width).map { $0 & 1 == 1 }
    let side = [Bool](repeating: false, count: Self.margin)
    let empty = [[Bool]](
      repeating: [Bool](repeating: false, count: width + 2 * Self.margin), count: Self.margin)
    modules = empty + (0..<width).map { side + dark[($0 * width)..<(($0 + 1) * width)] + side } + empty
  }

  var svg: String {
    let size = modules.count
    var path = ""
    for (y, row) in modules.enumerated() {
      for (x, isDark) in row.enumerated() where isDark { path += "M\(x) \(y)h1v1h-1z" }
    }
    return "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 \(size) \(size)\" "
      + "shape-rendering=\"crispEdges\"><path fill=\"#fff\" d=\"M0 0h\(size)v\(size)h-\(size)z\"/>"
      + "<path d=\"\(path)\"/></svg>"
  }

  /// A picture in shades of grey with one bit for each point, not compressed.
  var png: [UInt8] {
    let size = modules.count * Self.scale
    var rows: [UInt8] = []
    for row in modules {
      var line = [UInt8](repeating: 0xFF, count: (size + 7) / 8)
      for (x, isDark) in row.enumerated() where isDark {
        for point in (x * Self.scale)..<((x + 1) * Self.scale) {
          line[point / 8] &= ~(0x80 >> UInt8(point % 8))
        }
      }
      for _ in 0..<Self.scale { rows += [0] + line }
    }
    let head = Self.bytes(UInt32(size)) + Self.bytes(UInt32(size)) + [1, 0, 0, 0, 0]
    return [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A] + Self.chunk("IHDR", head)
      + Self.chunk("IDAT", Self.stored(rows)) + Self.chunk("IEND", [])
  }

  private static func bytes(_ number: UInt32) -> [UInt8] {
    withUnsafeBytes(of: number.bigEndian) { Array($0) }
  }

  private static func chunk(_ name: String, _ content: [UInt8]) -> [UInt8] {
    let body = Array(name.utf8) + content
    return bytes(UInt32(content.count)) + body + bytes(checksum(body))
  }

  /// The form of zlib for bytes that are not compressed.
  private static func stored(_ content: [UInt8]) -> [UInt8] {
    var (out, rest): ([UInt8], ArraySlice<UInt8>) = ([0x78, 0x01], content[...])
    repeat {
      let block = rest.prefix(0xFFFF)
      rest = rest.dropFirst(block.count)
      let count = UInt16(block.count)
      out.append(rest.isEmpty ? 1 : 0)
      for half in [count, ~count] { out += [UInt8(half & 0xFF), UInt8(half >> 8)] }
      out += block
    } while !rest.isEmpty
    var (a, b): (UInt32, UInt32) = (1, 0)
    for byte in content {
      a = (a + UInt32(byte)) % 65_521
      b = (b + a) % 65_521
    }
    return out + bytes(b << 16 | a)
  }

  private static func checksum(_ content: [UInt8]) -> UInt32 {
    var sum: UInt32 = 0xFFFF_FFFF
    for byte in content {
      sum ^= UInt32(byte)
      for _ in 0..<8 { sum = sum & 1 == 1 ? sum >> 1 ^ 0xEDB8_8320 : sum >> 1 }
    }
    return ~sum
  }
}
