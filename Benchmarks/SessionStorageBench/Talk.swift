import SessionStorage

/// Made-up talk, the same every time: words are as unequally common as in a language, and some of it is Chinese.
struct Talk {
  private var state: UInt64 = 0x5EED
  private let words: [String]

  /// Words that are said in about every third message, in one of a hundred, and in one of ten thousand.
  let common: String
  let uncommon: String
  let rare: String
  /// The Chinese text in about one of fifty messages.
  static let chinese = "今天天气很好我们一起去公园散步吧"

  init() {
    let syllables = ["ka", "lo", "mi", "ter", "sun", "ve", "ri", "dan", "qu", "po", "ne", "shi", "bar", "el"]
    words = (0..<syllables.count * syllables.count * syllables.count).map { number in
      let count = syllables.count
      return syllables[number % count] + syllables[number / count % count] + syllables[number / count / count]
    }
    common = words[2]
    uncommon = words[100]
    rare = "xylophone"
  }

  mutating func number(below limit: Int) -> Int {
    state &+= 0x9E37_79B9_7F4A_7C15
    var mixed = state
    mixed = (mixed ^ mixed >> 30) &* 0xBF58_476D_1CE4_E5B9
    mixed = (mixed ^ mixed >> 27) &* 0x94D0_49BB_1331_11EB
    return Int((mixed ^ mixed >> 31) % UInt64(limit))
  }

  private mutating func word() -> String {
    // The more common a word, the earlier it is in the list: the place is a power of a number between zero and one.
    let share = Double(number(below: 1 << 20)) / Double(1 << 20)
    return words[Int(share * share * share * share * Double(words.count - 1))]
  }

  /// Returns the text of a message, about a dozen words.
  mutating func body() -> String {
    var body = (0..<3 + number(below: 18)).map { _ in word() }
    if number(below: 50) == 0 { body.append(Self.chinese) }
    if number(below: 10) == 0 { body.append("😀") }
    if number(below: 10_000) == 0 { body.append(rare) }
    return body.joined(separator: " ")
  }

  /// A hash as a swarm gives it.
  mutating func hash() -> String {
    let letters = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/")
    return String((0..<43).map { _ in letters[number(below: letters.count)] })
  }

  /// Messages of two people, a second apart.
  mutating func messages(_ count: Int) -> [Message] {
    (0..<count).map { index in
      Message(
        author: Message.authors[number(below: 2)], body: body(), hash: hash(),
        sentAt: 1_700_000_000_000 + Int64(index) * 1000)
    }
  }
}

/// A message that can be written into any conversation.
struct Message {
  let author: String
  let body: String
  let hash: String
  let sentAt: Int64

  static let authors = ["b", "c"].map { "05" + String(repeating: $0, count: 64) }

  func record(in thread: ThreadRecord.ID) -> InteractionRecord {
    var record = InteractionRecord(
      in: thread, by: author, .incoming, body: body, sentAt: sentAt, receivedAt: sentAt + 1, state: .received)
    record.serverHash = hash
    return record
  }
}
