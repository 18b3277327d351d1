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

/// A GIF of one frame that is repeated, with what is given before it.
func gif(_ extensions: [UInt8] = []) -> [UInt8] {
  Array("GIF89a".utf8) + [3, 0, 4, 0, 0x80, 0, 0] + [0, 0, 0, 255, 255, 255] + extensions
    + gifExtension(0xFF, [Array("NETSCAPE2.0".utf8), [1, 0, 0]]) + gifExtension(0xF9, [[4, 0, 0, 0]])
    + [0x2C, 0, 0, 0, 0, 3, 0, 4, 0, 0] + [2, 3, 0x44, 0x51, 0x05, 0] + [0x3B]
}

func gifExtension(_ label: UInt8, _ blocks: [[UInt8]]) -> [UInt8] {
  var bytes: [UInt8] = [0x21, label]
  for block in blocks {
    bytes.append(UInt8(block.count))
    bytes += block
  }
  return bytes + [0]
}

/// A WebP of so many chunks.
func webp(_ chunks: [(String, [UInt8])]) -> [UInt8] {
  let all = webpChunks(chunks)
  return Array("RIFF".utf8) + big(UInt32(all.count + 4)).reversed() + Array("WEBP".utf8) + all
}

func webpChunks(_ chunks: [(String, [UInt8])]) -> [UInt8] {
  var bytes: [UInt8] = []
  for (name, content) in chunks {
    bytes += Array(name.utf8)
    bytes += big(UInt32(content.count)).reversed()
    bytes += content
    if content.count % 2 == 1 { bytes.append(0) }
  }
  return bytes
}

/// The chunk that a WebP of 10 by 20 begins with that is more than one image.
func webpHeader(_ flags: UInt8) -> (String, [UInt8]) { ("VP8X", [flags, 0, 0, 0, 9, 0, 0, 19, 0, 0]) }

/// Returns EXIF metadata as cameras write it, with the orientation of the image.
func tiff(_ turn: UInt8, _ secret: [UInt8]) -> [UInt8] {
  Array("II*\0".utf8) + [8, 0, 0, 0, 1, 0, 0x12, 0x01, 3, 0, 1, 0, 0, 0, turn, 0, 0, 0] + secret
}
