/// Decides when notices are shown, and which of them as a summary. Time is a number of milliseconds that never goes back.
package struct NoticeQueue: Sendable {
  package struct Pace: Sendable {
    /// How long a notice waits, in case another device reads the conversation meanwhile.
    package var wait: Int64 = 700
    /// How long notices of a room are collected.
    package var collecting: Int64 = 5000
    /// How long a summary waits for more.
    package var summing: Int64 = 1000

    package init() {}
  }

  /// What is due of one place, to be checked against what is known of its conversation.
  package struct Batch: Sendable {
    package let place: NoticePlace
    /// The newest of them, at most ``NoticeQueue/maxKept``.
    package var notices: [Notice]
    /// How many others there were.
    package var others = 0
    /// The cursor of the oldest of all.
    let oldest: Int64?

    package init(_ place: NoticePlace, _ notices: [Notice]) {
      (self.place, self.notices) = (place, notices)
      oldest = notices.compactMap(\.cursor).min()
    }

    var count: Int { notices.count + others }
  }

  /// What is to be shown now.
  package enum Order: Hashable, Sendable {
    /// The newest notice of a place, where so many are new.
    case show(Notice, count: Int, hasSound: Bool)
    /// Messages of an account that have no notifications of their own.
    case summary(account: String, messages: Int, conversations: Int)
  }

  /// What waits for a summary.
  private struct Sum: Sendable {
    /// The messages of each place.
    private(set) var counts: [NoticePlace: Int] = [:]
    /// Those of places that are not kept.
    private(set) var others = 0
    /// The cursor of the oldest that waits.
    var oldest: Int64?
    /// When it is shown; nil if that depends on the person.
    var due: Int64?
    var last: Int64 = 0
    var isNew = false

    var messages: Int { counts.values.reduce(others, +) }
    var isEmpty: Bool { counts.isEmpty && others == 0 }

    mutating func add(_ count: Int, of place: NoticePlace) {
      if counts[place] != nil || counts.count < NoticeQueue.maxPlaces * 10 {
        counts[place, default: 0] += count
      } else {
        others += count
      }
    }

    mutating func add(_ other: Sum) {
      for (place, count) in other.counts { add(count, of: place) }
      others += other.others
    }

    mutating func forget(_ place: NoticePlace) { counts[place] = nil }
  }

  /// Another text of a message that is shown.
  package struct Edit: Hashable, Sendable {
    package let place: NoticePlace
    package let message: Int64
    package let text: String
  }

  private struct Waiting: Sendable {
    var batch: Batch
    let due: Int64
  }

  /// The most places that wait. Notices of others go to the summary.
  package static let maxPlaces = 200
  package static let maxKept = 100
  /// The number of late notices that are shown one by one.
  package static let maxLate = 3
  /// The number of conversations that are shown one by one within ``crowdTime``.
  package static let maxCrowd = 5
  private static let crowdTime: Int64 = 10_000
  /// How long the counts of a summary go on growing.
  private static let sumTime: Int64 = 60_000
  private static let soundTime: Int64 = 5000
  private static let maxSounds = 2
  private static let placeSoundTime: Int64 = 1000

  private let pace: Pace
  private var waiting: [NoticePlace: Waiting] = [:]
  private var changed: [NoticePlace: (edit: Edit, due: Int64)] = [:]
  /// How many new notices a place that is shown stands for.
  private var counts: [NoticePlace: Int] = [:]
  /// By account.
  private var sums: [String: Sum] = [:]
  private var held: [String: Sum] = [:]
  private var lates: [String: (count: Int, last: Int64)] = [:]
  private var shownAt: [NoticePlace: Int64] = [:]
  private var sounds: [(place: NoticePlace, at: Int64)] = []

  package init(_ pace: Pace = Pace()) { self.pace = pace }

  /// True if something is held back until the person wants to be disturbed again.
  package var isHolding: Bool { !held.isEmpty }

  /// True if something of a place is not shown yet.
  package func isWaiting(_ place: NoticePlace) -> Bool {
    if waiting[place] != nil || held[place.account]?.counts[place] != nil { return true }
    guard let sum = sums[place.account], sum.isNew else { return false }
    return sum.counts[place] != nil
  }

  /// The cursor of the oldest notice of an account that waits or is held back.
  package func oldest(of account: String) -> Int64? {
    let waiting = waiting.values.compactMap { $0.batch.place.account == account ? $0.batch.oldest : nil }
    return (waiting + [held[account]?.oldest].compactMap(\.self)).min()
  }

  /// When something is due next.
  package var next: Int64? {
    let summaries = sums.values.compactMap { $0.isNew ? $0.due : nil }
    return (waiting.values.map(\.due) + changed.values.map(\.due) + summaries).min()
  }

  // MARK: - Changes

  /// Takes something new. `isRoom` is true for a place where many write.
  package mutating func take(_ notice: Notice, isRoom: Bool, at now: Int64) {
    if waiting[notice.place] != nil {
      waiting[notice.place]?.batch.add(notice)
    } else if waiting.count < Self.maxPlaces {
      let due = now + (isRoom ? pace.collecting : pace.wait)
      waiting[notice.place] = Waiting(batch: Batch(notice.place, [notice]), due: due)
    } else {
      add(1, of: notice.place, at: now)
    }
  }

  /// Forgets what is new at a place: it was read, or is gone.
  package mutating func forget(_ place: NoticePlace) {
    waiting[place] = nil
    changed[place] = nil
    counts[place] = nil
    if place.subject == .summary { sums[place.account] = nil }
    held[place.account]?.forget(place)
    if held[place.account]?.isEmpty ?? false { held[place.account] = nil }
    sums[place.account]?.forget(place)
    if sums[place.account]?.isEmpty ?? false { sums[place.account] = nil }
  }

  /// Takes back what was admitted, and could not be shown.
  package mutating func giveBack(_ batch: Batch, at now: Int64) {
    let place = batch.place
    if let count = counts[place] { counts[place] = count > batch.count ? count - batch.count : nil }
    var all = batch
    if let newer = waiting[place]?.batch {
      for notice in newer.notices { all.add(notice) }
      all.others += newer.others
    }
    waiting[place] = Waiting(batch: all, due: now + pace.wait)
  }

  /// Forgets a message that was deleted or has disappeared.
  package mutating func forget(message: Int64, at place: NoticePlace) {
    guard var entry = waiting[place] else { return }
    entry.batch.notices.removeAll { $0.message == message }
    waiting[place] = entry.batch.count > 0 ? entry : nil
  }

  /// Takes another text of a message that waits.
  package mutating func change(message: Int64, to text: String, at place: NoticePlace) {
    guard let index = waiting[place]?.batch.notices.firstIndex(where: { $0.message == message }) else {
      return
    }
    waiting[place]?.batch.notices[index].text = text
  }

  /// Takes another text of the message that a place shows. It waits, so that only the newest of many is shown.
  package mutating func take(_ edit: Edit, at now: Int64) {
    if let due = changed[edit.place]?.due {
      changed[edit.place] = (edit, due)
    } else if changed.count < Self.maxPlaces {
      changed[edit.place] = (edit, now + pace.wait)
    }
  }

  /// Forgets all of an account.
  package mutating func forget(account: String) {
    waiting = waiting.filter { $0.key.account != account }
    changed = changed.filter { $0.key.account != account }
    counts = counts.filter { $0.key.account != account }
    sums[account] = nil
    held[account] = nil
  }

  /// What a place showed is no longer on the screen.
  package mutating func closed(_ place: NoticePlace) {
    counts[place] = nil
    changed[place] = nil
    if place.subject == .summary { sums[place.account] = nil }
  }

  /// A place is shown already, with so many new notices, from an earlier run.
  package mutating func resume(_ place: NoticePlace, count: Int) { counts[place] = count }

  // MARK: - What is due

  /// Takes out what is due.
  package mutating func batches(at now: Int64) -> [Batch] {
    let due = waiting.filter { $0.value.due <= now }.sorted {
      ($0.value.due, $0.key.name) < ($1.value.due, $1.key.name)
    }
    for (place, _) in due { waiting[place] = nil }
    return due.map(\.value.batch)
  }

  /// Takes out the edits that are due.
  package mutating func edits(at now: Int64) -> [Edit] {
    let due = changed.values.filter { $0.due <= now }.sorted {
      ($0.due, $0.edit.place.name) < ($1.due, $1.edit.place.name)
    }
    for (edit, _) in due { changed[edit.place] = nil }
    return due.map(\.edit)
  }

  /// What becomes of a batch of which everything may be shown. `isQuiet` is true while the person does not want to be disturbed.
  package mutating func admit(_ batch: Batch, isQuiet: Bool, at now: Int64) -> Order? {
    guard let newest = batch.notices.last else { return nil }
    let place = batch.place
    guard !isQuiet else {
      var sum = held[place.account] ?? Sum()
      sum.add(batch.count, of: place)
      sum.oldest = [sum.oldest, batch.oldest].compactMap(\.self).min()
      held[place.account] = sum
      return nil
    }
    let isTooLate = newest.isLate && isTooLate(place.account, at: now)
    guard !isTooLate, !isCrowded(place, at: now) else {
      add(batch.count, of: place, at: now)
      return nil
    }
    shownAt[place] = now
    let count = counts[place, default: 0] + batch.count
    counts[place] = count
    return .show(newest, count: count, hasSound: takeSound(place, at: now))
  }

  /// The summaries that are due. With `isQuiet` false, those of what was held back are.
  package mutating func summaries(isQuiet: Bool, at now: Int64) -> [Order] {
    if !isQuiet {
      for (account, sum) in held {
        var all = growingSum(of: account, at: now)
        all.add(sum)
        (all.due, all.last, all.isNew) = (now, now, true)
        sums[account] = all
      }
      held = [:]
    }
    var orders: [Order] = []
    for (account, sum) in sums.sorted(by: { $0.key < $1.key }) {
      guard sum.isNew, let due = sum.due, due <= now else { continue }
      guard !isQuiet else {
        held[account, default: Sum()].add(sum)
        sums[account] = nil
        continue
      }
      sums[account]?.isNew = false
      orders.append(.summary(account: account, messages: sum.messages, conversations: sum.counts.count))
    }
    return orders
  }

  // MARK: - Rules

  /// Counts a late notice. True if there were as many as are shown one by one.
  private mutating func isTooLate(_ account: String, at now: Int64) -> Bool {
    var entry = lates[account] ?? (0, now)
    if now - entry.last > Self.sumTime { entry.count = 0 }
    entry = (entry.count + 1, now)
    lates[account] = entry
    return entry.count > Self.maxLate
  }

  /// True if so many other places were shown lately that this one is not.
  private mutating func isCrowded(_ place: NoticePlace, at now: Int64) -> Bool {
    shownAt = shownAt.filter { now - $0.value < Self.crowdTime }
    let others = shownAt.keys.count { $0.account == place.account && $0 != place }
    return shownAt[place] == nil && others >= Self.maxCrowd
  }

  /// What new messages are added to: a new sum if the last one is from long ago.
  private func growingSum(of account: String, at now: Int64) -> Sum {
    guard let sum = sums[account], sum.isNew || now - sum.last <= Self.sumTime else { return Sum() }
    return sum
  }

  private mutating func add(_ count: Int, of place: NoticePlace, at now: Int64) {
    var sum = growingSum(of: place.account, at: now)
    sum.add(count, of: place)
    if !sum.isNew { sum.due = now + pace.summing }
    (sum.last, sum.isNew) = (now, true)
    sums[place.account] = sum
  }

  private mutating func takeSound(_ place: NoticePlace, at now: Int64) -> Bool {
    sounds.removeAll { now - $0.at >= Self.soundTime }
    guard sounds.count < Self.maxSounds,
      !sounds.contains(where: { $0.place == place && now - $0.at < Self.placeSoundTime })
    else { return false }
    sounds.append((place, now))
    return true
  }
}

extension NoticeQueue.Batch {
  fileprivate mutating func add(_ notice: Notice) {
    notices.append(notice)
    guard notices.count > NoticeQueue.maxKept else { return }
    notices.removeFirst()
    others += 1
  }

  /// Those that may be shown; nil if there are none. What was not kept counts where everything may be.
  package func admitted(by conversation: NoticeConversation, at now: Int64) -> NoticeQueue.Batch? {
    var rest = self
    rest.notices = notices.filter { conversation.admits($0, at: now) }
    if conversation.notifying == .mentions { rest.others = 0 }
    guard !rest.notices.isEmpty else { return nil }
    // Some may have been read meanwhile.
    if let newest = rest.notices.last, newest.category == .message, conversation.unread < rest.count {
      rest.notices = rest.notices.suffix(max(1, conversation.unread))
      rest.others = max(0, conversation.unread - rest.notices.count)
    }
    return rest
  }
}
