import SessionCore
import SessionHTTP
import SessionStorage
import Synchronization

/// The content of the files of rooms, and how much it is.
final class CommunityShelves: Sendable {
  private static let maxImage = 5_000_000
  /// Bytes of a name; their hexadecimal digits are the name.
  private static let nameBytes = 16
  /// Bytes by which a picture is known.
  private static let pictureBytes = 12
  /// The beginnings of pictures that clients show.
  private static let pictures: [(offset: Int, bytes: [UInt8])] = [
    (0, [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A]), (0, [0xFF, 0xD8, 0xFF]),
    (0, Array("GIF87a".utf8)), (0, Array("GIF89a".utf8)), (8, Array("WEBP".utf8)),
  ]

  /// Bytes of the copies that are being sent.
  static let maxCopies = 1 << 30

  let shelves: FileShelves
  let copies = CopyRoom(maxBytes: CommunityShelves.maxCopies)
  let folder: CommunityFolder
  /// True if the content of new files goes into rows.
  let usesRows: Bool
  private let maxBytes: Int
  /// True while the operator knows that there is little room left.
  private let isNearlyFull = Mutex(false)
  private let used = Mutex(0)
  /// Content without rows that a backup still reads.
  private let left = Mutex<[String]>([])

  /// `files` is the folder of the files, if it is not in that of the server. `usesRows` has the content of new files go
  /// into rows; that of others stays where it is.
  init(of folder: CommunityFolder, files: String? = nil, usesRows: Bool = false, maxBytes: Int) throws {
    shelves = FileShelves(folder: files ?? folder.files)
    (self.folder, self.usesRows, self.maxBytes) = (folder, usesRows, maxBytes)
    try shelves.prepare()
  }

  /// The place of new content.
  func freshPlace() throws(SessionError) -> String { usesRows ? CommunityFile.inRows : try Self.freshName() }

  /// Gives content its place, in the transaction that adds its row. `unplaced` is its number if it is in rows already.
  func place(
    _ content: IncomingFile, _ unplaced: Int64?, as place: String, of file: Int64,
    in transaction: borrowing WriteTransaction
  ) throws {
    if let unplaced { return try transaction.giveContent(unplaced, to: file) }
    if !shelves.has(place) { try shelves.place(content, as: place) }
  }

  /// An unguessable name for content.
  static func freshName() throws(SessionError) -> String {
    try SecretBytes.random(count: nameBytes).reveal().hex
  }

  /// True for a name that ``freshName()`` may give.
  static func isName(_ text: String) -> Bool {
    text.utf8.count == 2 * nameBytes && (try? [UInt8](hex: text.utf8))?.hex == text
  }

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

  /// True once each time that the files have come to need more than four fifths of the room.
  func becameNearlyFull() -> Bool {
    let isOver = bytes > maxBytes / 5 * 4
    return isNearlyFull.withLock { known in
      defer { known = isOver }
      return isOver && !known
    }
  }

  /// Removes the content of files whose rows are gone. While a backup is written, which may have seen the rows, it stays
  /// until a later call.
  func remove(_ files: [CommunityFile]) {
    let places = left.withLock { left in
      left += files.filter { !$0.isInRows }.map(\.place)
      guard !folder.isBackedUp else { return [] as [String] }
      defer { left = [] }
      return left
    }
    for place in places { try? shelves.remove(place) }
    release(files.reduce(0) { $0 + $1.size })
  }

  /// True for a file whose content is there and begins as a picture.
  func isRoomImage(
    _ file: CommunityFile, in transaction: borrowing WriteTransaction
  ) throws(StorageError) -> Bool {
    if file.isInRows {
      guard let beginning = try transaction.beginning(of: file) else { return false }
      return Self.isRoomImage(beginning, size: file.size)
    }
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
