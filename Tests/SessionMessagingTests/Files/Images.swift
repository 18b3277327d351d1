import SessionCore
import SessionStorage

@testable import SessionMessaging

/// An image of a size, as far as its first bytes tell, with something in it.
func png(_ width: UInt32, _ height: UInt32, _ content: [UInt8] = [], notes: [UInt8] = []) -> [UInt8] {
  let header = big(width) + big(height) + [8, 6, 0, 0, 0]
  return [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A] + chunk("IHDR", header)
    + (notes.isEmpty ? [] : chunk("tEXt", notes)) + chunk("IDAT", content) + chunk("IEND", [])
}

private func chunk(_ kind: String, _ content: [UInt8]) -> [UInt8] {
  big(UInt32(content.count)) + Array(kind.utf8) + content + [0, 0, 0, 0]
}

private func big(_ number: UInt32) -> [UInt8] {
  [UInt8(number >> 24), UInt8(number >> 16 & 0xFF), UInt8(number >> 8 & 0xFF), UInt8(number & 0xFF)]
}

/// Bytes that mean nothing; of many, the same ones come again.
func noise(_ count: Int, seed: UInt8 = 1) -> [UInt8] {
  let block = 100_003
  guard count <= block else {
    let some = noise(block, seed: seed)
    var all: [UInt8] = []
    while all.count < count { all += some.prefix(count - all.count) }
    return all
  }
  var state = UInt64(seed) &* 0x9E37_79B9_7F4A_7C15 | 1
  return (0..<count).map { _ in
    state ^= state << 13
    state ^= state >> 7
    state ^= state << 17
    return UInt8(truncatingIfNeeded: state)
  }
}

extension Messenger {
  /// All bytes of a file that is here.
  func bytes(of id: AttachmentView.ID) async throws -> [UInt8] {
    var bytes: [UInt8] = []
    for try await piece in try await content(of: id) { bytes += piece }
    return bytes
  }
}
