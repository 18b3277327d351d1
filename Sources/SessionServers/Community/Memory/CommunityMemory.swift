import SessionBase
import SessionStorage
import Synchronization

/// What polls ask for, in memory: the rows of rooms, what people may do in them, their newest letters, and pages that many
/// get alike. While nothing happens in a room, a poll needs no database, and what happens is read for the first one alone.
///
/// What a transaction has changed is forgotten before anybody learns that it was committed. What was read is remembered
/// only if none of it has changed since the reading began.
final class CommunityMemory: Sendable {
  /// People who are remembered at most, and milliseconds without a request after which one is forgotten.
  private static let maxPeople = 65_536
  private static let span: Int64 = 3_600_000
  /// Milliseconds after which the rights of newcomers, which grow with time, are read anew.
  private static let newcomerSpan: Int64 = 60_000
  /// Bytes of answers that are no pages, after which a request for more of them needs the database.
  private static let maxMade = 64 * 1024
  /// Changes whose time is kept; older ones count as happening when the list was shortened.
  private static let maxChanges = 4096

  /// A point in the order of all changes.
  struct Moment: Sendable {
    fileprivate let number: UInt64
  }

  /// What somebody may do in a room.
  private struct Rights {
    let rights: RoomRights
    /// When they have to be read anew.
    let until: Int64
  }

  private struct Person {
    var rights: [Int64: Rights] = [:]
    /// The last letter of each kind; 0 for none, and nil if it is unknown.
    var lastReceived, lastSent: Int64?
    var lastUse: Int64
  }

  /// What the rights of everybody in a room depend on.
  private struct Basis: Equatable {
    let defaults: RoomPermissions
    let newcomerWrite, newcomerUpload: Int64

    init(_ room: RoomRow) {
      (defaults, newcomerWrite, newcomerUpload) = (room.defaults, room.newcomerWrite, room.newcomerUpload)
    }
  }

  private struct State {
    var rooms: [String: RoomRow] = [:]
    var tokens: [Int64: String] = [:]
    var bases: [Int64: Basis] = [:]
    /// The descriptions of rooms, for moderators and for others.
    var details: [Int64: [Bool: RoomDetails]] = [:]
    var pages: RememberedPages
    var people: [Int64: Person] = [:]
    /// The number of changes so far, and when each was last.
    var now: UInt64 = 0
    var changes: [ObservationKey: UInt64] = [:]
    /// Changes of anything that is not in the list.
    var floor: UInt64 = 0

    init(_ pages: RememberedPages) { self.pages = pages }
  }

  private let news: any CommunityNews
  private let state: Mutex<State>
  private let answered = Atomic<UInt64>(0)
  /// Bytes that pages of rooms may take.
  let pageBytes: Int

  /// `memory` are the bytes that all requests may take; pages of rooms take a part of them.
  init(_ news: any CommunityNews, of memory: Int) {
    let pages = RememberedPages(of: memory)
    self.news = news
    pageBytes = pages.maxBytes
    state = Mutex(State(pages))
  }

  // MARK: - Asking

  /// The answers to requests of a person, or of somebody without a name for nil. All show the same state. Nil if
  /// any of them needs the database, or if they describe so many rooms that they would take much memory.
  func answers(
    to reads: [RestingRead], of person: Int64?, _ rules: CommunityRules, now: Int64
  ) -> [CommunityAnswer]? {
    guard let rooms = remembered(reads, of: person, now: now) else { return nil }
    var (answers, made): ([CommunityAnswer], Int) = ([], 0)
    for (read, room) in zip(reads, rooms) {
      guard made <= Self.maxMade else { return nil }
      if let room {
        guard let answer = read.answer(in: room, rules) else { return nil }
        if !read.isPage { made += answer.bytes }
        if let person, read.isVisit { rules.visits.note(person, in: room.row.id, now: now) }
        answers.append(answer)
      } else {
        guard let answer = read.answer(rules) else { return nil }
        answers.append(answer)
      }
    }
    answered.wrappingAdd(UInt64(answers.count), ordering: .relaxed)
    return answers
  }

  /// The number of answers that needed no database.
  var answerCount: UInt64 { answered.load(ordering: .relaxed) }

  /// The rooms that requests are about, in their order; nil if something is not remembered, or not as they expect it.
  private func remembered(_ reads: [RestingRead], of person: Int64?, now: Int64) -> [RememberedRoom?]? {
    state.withLock { state in
      guard hearNews(&state) else { return nil }
      if let person {
        guard state.people[person] != nil else { return nil }
        state.people[person]?.lastUse = now
      }
      var rooms: [RememberedRoom?] = []
      for read in reads {
        switch read {
        case .capabilities: rooms.append(nil)
        case .inbox(let number):
          guard let last = person.flatMap({ state.people[$0]?.lastReceived }), last <= number ?? 0
          else { return nil }
          rooms.append(nil)
        case .outbox(let number):
          guard let last = person.flatMap({ state.people[$0]?.lastSent }), last <= number ?? 0
          else { return nil }
          rooms.append(nil)
        case .room, .changes, .recent, .poll, .page:
          guard let room = Self.room(of: read, for: person, &state, now: now) else { return nil }
          rooms.append(room)
        }
      }
      return rooms
    }
  }

  /// What is remembered of the room of a request, for somebody who may read it; pages for browsers are for everybody.
  private static func room(
    of read: RestingRead, for person: Int64?, _ state: inout State, now: Int64
  ) -> RememberedRoom? {
    var reader = person
    if case .page = read { reader = nil }
    guard let row = read.room.flatMap({ state.rooms[$0] }),
      let rights = rights(of: reader, in: row, state, now: now), rights.has(.read)
    else { return nil }
    return RememberedRoom(
      row: row, rights: rights, details: state.details[row.id]?[rights.isModerator],
      page: read.isPage ? state.pages.answer(to: read, in: row.id, for: reader, now: now) : nil)
  }

  private static func rights(
    of person: Int64?, in room: RoomRow, _ state: State, now: Int64
  ) -> RoomRights? {
    guard let person else { return RoomRights(of: nil, in: room, nil, now: now) }
    guard let known = state.people[person]?.rights[room.id], now < known.until else { return nil }
    return known.rights
  }

  // MARK: - Learning

  /// To be called before the transaction from which something is learned.
  var moment: Moment {
    state.withLock { state in
      _ = hearNews(&state)
      return Moment(number: state.now)
    }
  }

  /// Remembers what requests need that were answered from the rows.
  func learn(
    _ answered: [Answered], of caller: CommunityCaller?, since moment: Moment, _ rules: CommunityRules,
    from transaction: borrowing ReadTransaction, now: Int64
  ) throws {
    for token in Set(answered.compactMap(\.read.room)) {
      let ofRoom = answered.filter { $0.read.room == token }
      guard lacks(token, caller?.person.id, now: now) || ofRoom.contains(where: \.isMore),
        let row = try transaction.room(token)
      else { continue }
      let rights = try transaction.rights(of: caller, in: row, rules, now: now)
      learn(row, of: caller, rights, moment, now: now)
      if rights.has(.read), ofRoom.contains(where: { $0.hasDetails(of: row) }),
        lacksDetails(row, rights.isModerator)
      {
        let writer = RoomWriter(rules: rules)
        learn(
          try writer.details(of: row, isModerator: rights.isModerator, in: transaction), rights.isModerator,
          of: row, moment)
      }
      for page in ofRoom where page.isLate(in: row) { learn(page, of: row, moment, now: now) }
    }
    guard let person = caller?.person.id else { return }
    let reads = answered.map(\.read)
    if reads.contains(where: { $0.isOfInbox }) {
      let last: Int64? = try transaction.value(
        "SELECT coalesce(max(id), 0) FROM inbox WHERE recipient = ?1", person)
      learn(person, \.lastReceived, last ?? 0, moment, now: now)
    }
    if reads.contains(where: { $0.isOfOutbox }) {
      let last: Int64? = try transaction.value(
        "SELECT coalesce(max(id), 0) FROM inbox WHERE sender = ?1", person)
      learn(person, \.lastSent, last ?? 0, moment, now: now)
    }
  }

  private func lacks(_ token: String, _ person: Int64?, now: Int64) -> Bool {
    state.withLock { state in
      guard let room = state.rooms[token] else { return true }
      return Self.rights(of: person, in: room, state, now: now) == nil
    }
  }

  private func learn(
    _ room: RoomRow, of caller: CommunityCaller?, _ rights: RoomRights, _ moment: Moment, now: Int64
  ) {
    state.withLock { state in
      guard hearNews(&state), Self.isUnchanged(.communityRoom(room.id), since: moment, state) else { return }
      let token = RoomRow.folded(room.token)
      let basis = Basis(room)
      if state.bases[room.id] != basis {
        state.bases[room.id] = basis
        for person in state.people.keys { state.people[person]?.rights[room.id] = nil }
      }
      state.rooms[token] = room
      state.tokens[room.id] = token
      guard let person = caller?.person.id, rights.has(.read),
        Self.isUnchanged(.communityPerson(person), since: moment, state)
      else { return }
      let growsWithTime = room.newcomerWrite > 0 || room.newcomerUpload > 0
      let until = now + (growsWithTime ? Self.newcomerSpan : Self.span)
      Self.with(person, &state, now: now) { $0.rights[room.id] = Rights(rights: rights, until: until) }
    }
  }

  private func lacksDetails(_ room: RoomRow, _ isModerator: Bool) -> Bool {
    state.withLock { $0.details[room.id]?[isModerator] == nil }
  }

  private func learn(_ details: RoomDetails, _ isModerator: Bool, of room: RoomRow, _ moment: Moment) {
    state.withLock { state in
      guard hearNews(&state), Self.isUnchanged(.communityRoom(room.id), since: moment, state) else { return }
      state.details[room.id, default: [:]][isModerator] = details
    }
  }

  private func learn(_ page: Answered, of room: RoomRow, _ moment: Moment, now: Int64) {
    guard let answer = page.shared, let audience = answer.audience else { return }
    state.withLock { state in
      guard hearNews(&state), Self.isUnchanged(.communityRoom(room.id), since: moment, state) else { return }
      state.pages.add(answer, for: audience, to: page.read, in: room.id, now: now)
    }
  }

  private func learn(
    _ person: Int64, _ kind: WritableKeyPath<Person, Int64?>, _ last: Int64, _ moment: Moment, now: Int64
  ) {
    state.withLock { state in
      guard hearNews(&state), Self.isUnchanged(.communityPerson(person), since: moment, state),
        Self.isUnchanged(.communityLetters(person), since: moment, state)
      else { return }
      Self.with(person, &state, now: now) { $0[keyPath: kind] = last }
    }
  }

  private static func with(
    _ person: Int64, _ state: inout State, now: Int64, _ change: (inout Person) -> Void
  ) {
    if state.people[person] == nil, state.people.count >= maxPeople { state.people.removeAll() }
    change(&state.people[person, default: Person(lastUse: now)])
  }

  // MARK: - Forgetting

  /// Forgets people who have asked for nothing for an hour, and pages of rooms that no one reads.
  func forgetOld(now: Int64) {
    state.withLock { state in
      state.pages.forgetOld(now: now)
      state.people = state.people.filter { now >= $0.value.lastUse && now - $0.value.lastUse < Self.span }
    }
  }

  /// Forgets everything, as after a loss of the connection by which changes are heard of.
  func forgetAll() {
    state.withLock { state in
      state.now += 1
      Self.forgetAll(&state)
    }
  }

  private static func isUnchanged(_ key: ObservationKey, since moment: Moment, _ state: State) -> Bool {
    let last = max(state.floor, state.changes[key] ?? 0, state.changes[key.whole] ?? 0)
    return last <= moment.number
  }

  /// Forgets what others have changed since it was last called. False if others may change rows unheard.
  private func hearNews(_ state: inout State) -> Bool {
    if let news = news.fetch() {
      state.now += 1
      if news.isExternal { Self.forgetAll(&state) }
      for key in news.changes.keys {
        state.changes[key] = state.now
        Self.forget(key, &state)
      }
      if state.changes.count > Self.maxChanges {
        (state.floor, state.changes) = (state.now, [:])
      }
    }
    return news.isComplete
  }

  private static func forget(_ key: ObservationKey, _ state: inout State) {
    switch (key.topic, key.subject) {
    case (.communityRoom, .row(let room)?):
      if let token = state.tokens.removeValue(forKey: room) { state.rooms[token] = nil }
      state.details[room] = nil
      state.pages.forget(room)
    case (.communityRoom, _):
      (state.rooms, state.tokens, state.details) = ([:], [:], [:])
      state.pages.forgetAll()
    case (.communityLetters, .row(let person)?):
      state.people[person]?.lastReceived = nil
      state.people[person]?.lastSent = nil
    case (.communityPerson, .row(let person)?): state.people[person] = nil
    default: state.people = [:]
    }
  }

  private static func forgetAll(_ state: inout State) {
    state.floor = state.now
    (state.rooms, state.tokens, state.bases, state.people) = ([:], [:], [:], [:])
    state.details = [:]
    state.pages.forgetAll()
  }
}

extension Answered {
  /// True if more may be learned than the row of a room.
  fileprivate var isMore: Bool {
    switch read {
    case .room, .poll: true
    case .changes, .recent, .page: shared != nil
    case .capabilities, .inbox, .outbox: false
    }
  }

  /// True if the description of a room is in the answer.
  fileprivate func hasDetails(of room: RoomRow) -> Bool {
    switch read {
    case .room: true
    case .poll(_, let info): info != room.info
    default: false
    }
  }

  /// True for a page that is not far behind the last change of a room.
  fileprivate func isLate(in room: RoomRow) -> Bool {
    guard shared != nil else { return false }
    guard case .changes(_, let number, _) = read else { return true }
    return number < room.sequence && room.sequence - number <= RememberedPages.maxChanges
  }
}

extension RestingRead {
  fileprivate var isOfInbox: Bool { if case .inbox = self { true } else { false } }
  fileprivate var isOfOutbox: Bool { if case .outbox = self { true } else { false } }
}
