import SessionCore
import SessionHTTP
import Synchronization

/// The content of the files of rooms, and how much it is.
final class CommunityShelves: Sendable {
  private static let maxImage = 5_000_000
  /// Bytes by which a picture is known.
  private static let pictureBytes = 12
  /// The beginnings of pictures that clients show.
  private static let pictures: [(offset: Int, bytes: [UInt8])] = [
    (0, [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A]), (0, [0xFF, 0xD8, 0xFF]),
    (0, Array("GIF87a".utf8)), (0, Array("GIF89a".utf8)), (8, Array("WEBP".utf8)),
  ]

  let shelves: FileShelves
  private let maxBytes: Int
  private let used = Mutex(0)

  init(folder: String, maxBytes: Int) throws {
    shelves = FileShelves(folder: folder)
    self.maxBytes = maxBytes
    try shelves.prepare()
  }

  /// An unguessable name for content.
  static func freshName() throws(SessionError) -> String { try SecretBytes.random(count: 16).reveal().hex }

  func path(of file: CommunityFile) -> String { shelves.path(of: file.place) }

  /// Bytes of all files.
  var bytes: Int { used.withLock { $0 } }

  /// Takes room for a file; false if there is none.
  func reserve(_ count: Int) -> Bool {
    used.withLock { used in
      guard used + count <= maxBytes else { return false }
      used += count
      return true
    }
  }

  /// Takes room for files that are there.
  func occupy(_ count: Int) { used.withLock { $0 += count } }

  func release(_ count: Int) { used.withLock { $0 -= count } }

  /// True for a file whose content is there and begins as a picture.
  func isRoomImage(_ file: CommunityFile) -> Bool {
    guard let content = HTTPFile(reading: path(of: file)), content.size == file.size,
      let beginning = content.readBeginning(Self.pictureBytes)
    else { return false }
    return Self.isRoomImage(beginning, size: file.size)
  }

  /// The same for content of so many bytes that is no file yet.
  static func isRoomImage(_ content: [UInt8], size: Int) -> Bool {
    size <= maxImage
      && pictures.contains { offset, beginning in content.dropFirst(offset).starts(with: beginning) }
  }
}
