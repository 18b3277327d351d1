/// Answers that many readers get alike: the newest messages of rooms, what has changed in them lately, and their pages for
/// browsers. Each is made once for a state of its room.
struct RememberedPages: Sendable {
  /// The part of the memory of all requests.
  private static let part = 8
  /// The number of those of a room.
  static let maxPages = 64
  /// Changes of a room after which readers are answered from the rows.
  static let maxChanges: Int64 = 1000
  /// Milliseconds that a page is remembered: the ids of those who reacted may change without a change of the room.
  static let span: Int64 = 600_000
  /// Bytes that a page takes beside its text, and those of one of the people who get another one.
  private static let overhead = 256
  private static let personBytes = 16

  private struct Page {
    let answer: CommunityAnswer
    let audience: PageAudience
    let made: Int64
    let bytes: Int
    var lastUse: Int64
  }

  private struct Room {
    var pages: [RestingRead: Page] = [:]
    var bytes = 0
    var lastUse: Int64
  }

  /// Bytes that all of them may take.
  let maxBytes: Int
  private var rooms: [Int64: Room] = [:]
  /// Bytes of all pages.
  private(set) var bytes = 0

  init(of memory: Int) { maxBytes = memory / Self.part }

  /// The answer for a person, or a reader who does not sign for nil; nil if it is not remembered. `now` is in milliseconds.
  mutating func answer(
    to read: RestingRead, in room: Int64, for person: Int64?, now: Int64
  ) -> CommunityAnswer? {
    guard let page = rooms[room]?.pages[read], page.audience.includes(person), now >= page.made,
      now - page.made < Self.span
    else { return nil }
    rooms[room]?.lastUse = now
    rooms[room]?.pages[read]?.lastUse = now
    return page.answer
  }

  /// Remembers an answer. Pages of the room, and rooms, that were asked for longest ago make room for it.
  mutating func add(
    _ answer: CommunityAnswer, for audience: PageAudience, to read: RestingRead, in room: Int64, now: Int64
  ) {
    var bytes = answer.bytes + Self.overhead
    if case .everybody(let others) = audience { bytes += others.count * Self.personBytes }
    guard bytes <= maxBytes / 4 else { return }
    remove(read, in: room)
    if let pages = rooms[room]?.pages, pages.count >= Self.maxPages,
      let oldest = pages.min(by: { $0.value.lastUse < $1.value.lastUse })
    {
      remove(oldest.key, in: room)
    }
    while self.bytes + bytes > maxBytes,
      let oldest = rooms.min(by: { $0.value.lastUse < $1.value.lastUse })
    {
      forget(oldest.key)
    }
    rooms[room, default: Room(lastUse: now)].lastUse = now
    rooms[room]?.pages[read] = Page(
      answer: answer, audience: audience, made: now, bytes: bytes, lastUse: now)
    rooms[room]?.bytes += bytes
    self.bytes += bytes
  }

  private mutating func remove(_ read: RestingRead, in room: Int64) {
    guard let page = rooms[room]?.pages.removeValue(forKey: read) else { return }
    rooms[room]?.bytes -= page.bytes
    bytes -= page.bytes
  }

  mutating func forget(_ room: Int64) { bytes -= rooms.removeValue(forKey: room)?.bytes ?? 0 }

  mutating func forgetAll() { (rooms, bytes) = ([:], 0) }

  /// Forgets the pages of rooms that no one has asked for lately.
  mutating func forgetOld(now: Int64) {
    for (room, pages) in rooms where now < pages.lastUse || now - pages.lastUse >= Self.span { forget(room) }
  }
}
