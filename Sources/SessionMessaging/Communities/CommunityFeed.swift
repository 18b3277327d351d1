import SessionBase
import SessionCore
import SessionNetworking
import SessionStorage
import Synchronization

/// Polls the rooms of one community server in batches, and our inbox and outbox there.
final class CommunityFeed: ServerFeed {
  private struct State {
    var paces: [Community.Place: RoomPace] = [:]
    var newsAt: Int64
    var isBanned = false
    /// Rooms whose messages that an older version of the program could not read were asked for.
    var retriedRooms: Set<Community.Place> = []
    /// How often messages were asked for one by one, and did not come.
    var misses: [Community.Place: [Int64: Int]] = [:]
    /// True if the server has answered the last poll, whatever became of its rooms.
    var hasAnswered = false
    /// The polls in a row that have failed, those of earlier programs included.
    var failures = 0
    /// True if rooms that have long been gone are polled once, too.
    var asksForGone = false

    var hasOnlyFailingRooms: Bool { !paces.isEmpty && paces.values.allSatisfy(\.isFailing) }
  }

  /// The rooms in the first request, which also has the capabilities and our boxes, and in each further one.
  private static let firstRooms = 8
  private static let rooms = CommunityRequest.maxBatch / 2
  /// The number of requests for a message that does not come, and of such messages that are remembered for a room.
  private static let mostMisses = 3
  private static let maxMissed = 1000

  private let inbox: RoomInbox
  private let letters: LetterFeed
  private let client: CommunityClient
  private let state: Mutex<State>

  init(_ inbox: RoomInbox, _ letters: LetterFeed, through client: CommunityClient) {
    self.inbox = inbox
    self.letters = letters
    self.client = client
    state = Mutex(State(newsAt: inbox.context.jobTime))
  }

  private var now: Int64 { inbox.context.jobTime }

  func poll() async throws -> ServerPollResult {
    state.withLock { $0.hasAnswered = false }
    guard let server = try await inbox.serverRecord() else { return ServerPollResult() }
    state.withLock { $0.failures = server.pollFailures }
    do {
      let result = try await pollRooms(of: server)
      if server.pollFailures > 0 { try await inbox.note(failures: 0) }
      return result
    } catch {
      // A server that answers does not fail, and what is our own fault says nothing about it.
      guard (error as? NetworkFailure)?.isOfServer == true, state.withLock({ !$0.hasAnswered }) else {
        throw error
      }
      let failures = server.pollFailures + 1
      state.withLock { $0.failures = failures }
      try await inbox.note(failures: failures)
      throw error
    }
  }

  private func pollRooms(of server: CommunityServerRecord) async throws -> ServerPollResult {
    let connection = CommunityConnection(
      server: try CommunityServer(server.url, key: server.publicKey), context: inbox.context, client: client)
    let rooms = try await roomsToPoll()
    var (result, worked, isFirst) = (ServerPollResult(), 0, true)
    var (failure, letterFailure): (NetworkFailure?, (any Error)?)
    for part in parts(of: rooms) {
      let spans = isFirst ? try await letters.spans() : []
      let (outcomes, replies) = try await poll(part, spans, withCapabilities: isFirst, connection)
      do {
        if try await letters.take(replies) { result.hasMore = true }
      } catch {
        letterFailure = error
      }
      for (room, outcome) in outcomes {
        switch outcome {
        case .success(let hasMore):
          worked += 1
          result.hasMore = result.hasMore || hasMore
        case .failure(let error):
          failure = error
          let end = state.withLock { [now] in $0.paces[room.place]?.noteFailure(error, at: now) }
          if let end { try await inbox.close(room.place, as: end) }
        }
      }
      isFirst = false
    }
    // One broken room does not make the server fail.
    if worked == 0, let failure { throw failure }
    if let letterFailure { throw letterFailure }
    // While all rooms wait after failures, an answer without them does not tell that the server works.
    if rooms.isEmpty, !result.hasMore, state.withLock({ $0.hasOnlyFailingRooms }) {
      throw NetworkFailure(.transient, "no room of the community server can be polled yet")
    }
    return result
  }

  /// The rooms whose turn it is.
  private func roomsToPoll() async throws -> [PolledRoom] {
    let all = try await inbox.roomsToPoll()
    let now = now
    return state.withLock { state in
      defer { state.asksForGone = false }
      // A room that we leave and join again begins anew.
      state.paces = state.paces.filter { pace in all.contains { $0.place == pace.key } }
      return all.compactMap { room in
        let pace = state.paces[room.place] ?? RoomPace()
        state.paces[room.place] = pace
        guard pace.notBefore <= now, !room.isLongGone || state.asksForGone else { return nil }
        var room = room
        room.pageSize = pace.pageSize
        room.isAlone = pace.isAlone
        room.passesMessage = pace.passesMessage
        if pace.passesMessage { room.wantsRecent = true }
        room.wantsDescription = pace.passesMessage || pace.wantsDescription(at: now)
        return room
      }
    }
  }

  /// The rooms of each request. The first, which may be of no rooms, also asks for the capabilities and the boxes.
  private func parts(of rooms: [PolledRoom]) -> [[PolledRoom]] {
    var parts: [[PolledRoom]] = []
    var rest = rooms.filter { !$0.isAlone }[...]
    repeat {
      let part = Array(rest.prefix(parts.isEmpty ? Self.firstRooms : Self.rooms))
      rest = rest.dropFirst(part.count)
      parts.append(part)
    } while !rest.isEmpty
    return parts + rooms.filter(\.isAlone).map { [$0] }
  }

  /// What became of each room, true if it has more messages, and the replies of the boxes.
  private typealias Outcomes = ([(PolledRoom, Result<Bool, NetworkFailure>)], [(LetterSpan, CommunityReply)])

  /// Polls some rooms and boxes with one request. If its reply is too large to reach us, asks for less at once.
  private func poll(
    _ rooms: [PolledRoom], _ spans: [LetterSpan], withCapabilities: Bool, _ connection: CommunityConnection
  ) async throws -> Outcomes {
    do {
      return try await pollAtOnce(rooms, spans, withCapabilities: withCapabilities, connection)
    } catch let failure as NetworkFailure where failure.mayBeTooLarge {
      guard !rooms.isEmpty || !spans.isEmpty else { throw failure }
      // A server that answers this has an answer to the other request, too.
      _ = try await pollAtOnce([], [], withCapabilities: true, connection)
      guard spans.isEmpty else {
        let replies = try await poll(spans, connection)
        guard !rooms.isEmpty else { return ([], replies) }
        return (try await poll(rooms, [], withCapabilities: false, connection).0, replies)
      }
      guard rooms.count > 1 else {
        state.withLock { $0.paces[rooms[0].place]?.noteTooLarge() }
        return ([(rooms[0], .failure(NetworkFailure(.transient, failure.message)))], [])
      }
      let half = rooms.count / 2
      let (first, _) = try await poll(Array(rooms.prefix(half)), [], withCapabilities: false, connection)
      let (rest, _) = try await poll(Array(rooms.dropFirst(half)), [], withCapabilities: false, connection)
      return (first + rest, [])
    }
  }

  /// Polls each box alone. If its reply is too large to reach us, the next poll asks for less.
  private func poll(
    _ spans: [LetterSpan], _ connection: CommunityConnection
  ) async throws -> [(LetterSpan, CommunityReply)] {
    var replies: [(LetterSpan, CommunityReply)] = []
    for span in spans {
      do {
        replies += try await pollAtOnce([], [span], withCapabilities: false, connection).1
      } catch let failure as NetworkFailure where failure.mayBeTooLarge {
        letters.noteTooLarge(span)
      }
    }
    return replies
  }

  private func pollAtOnce(
    _ rooms: [PolledRoom], _ spans: [LetterSpan], withCapabilities: Bool, _ connection: CommunityConnection
  ) async throws -> Outcomes {
    let calls = rooms.map { room in
      (
        info: room.wantsDescription
          ? CommunityCall<CommunityPoll>.description(of: room.place)
          : .poll(room.place, knowing: room.infoUpdates),
        page: CommunityCall<CommunityPage>.messages(room.span, in: room.place, limit: room.pageSize)
      )
    }
    let capabilities = CommunityCall<CommunityCapabilities>.capabilities
    var requests = calls.flatMap { [$0.info.request, $0.page.request] }
    if withCapabilities { requests.insert(capabilities.request, at: 0) }
    requests += spans.map(\.call.request)
    guard !requests.isEmpty else { return ([], []) }
    var replies: ArraySlice<CommunityReply>
    do {
      replies = try await connection.perform(requests, inOrder: false)[...]
    } catch let ban as CommunityBan {
      state.withLock { $0.isBanned = true }
      try await inbox.closeAll()
      throw ban
    }
    state.withLock { ($0.isBanned, $0.hasAnswered) = (false, true) }
    if withCapabilities, let answer = try? capabilities.answer(from: replies.removeFirst()) {
      try await inbox.take(answer)
    }
    var outcomes: [(PolledRoom, Result<Bool, NetworkFailure>)] = []
    for (room, calls) in zip(rooms, calls) {
      let (info, page) = (replies.removeFirst(), replies.removeFirst())
      do throws(NetworkFailure) {
        guard info.status != 401, page.status != 401 else {
          // This says nothing about our access to the room.
          throw NetworkFailure(.transient, "the community server refuses our signature")
        }
        let poll = try calls.info.answer(from: info)
        let messages = try calls.page.answer(from: page)
        let hasMore = try await take(poll, messages, of: room, connection)
        state.withLock { [now] in
          $0.paces[room.place]?.noteSuccess(rows: messages.count, bytes: page.body.count, at: now)
        }
        outcomes.append((room, .success(hasMore)))
      } catch {
        outcomes.append((room, .failure(error)))
      }
    }
    return (outcomes, Array(zip(spans, replies)))
  }

  private func take(
    _ poll: CommunityPoll, _ page: CommunityPage, of room: PolledRoom, _ connection: CommunityConnection
  ) async throws(NetworkFailure) -> Bool {
    let isBehind = state.withLock { [now] state in
      poll.details.map {
        state.paces[room.place]?.noteDescription($0, cursor: room.cursor, at: now) ?? false
      } ?? false
    }
    do {
      let mayRestart = state.withLock { [now] in $0.paces[room.place]?.mayRestart(at: now) ?? false }
      if try await inbox.restart(room, as: poll, isBehind: isBehind, isAllowed: mayRestart) {
        state.withLock { [now] in $0.paces[room.place]?.noteRestart(at: now) }
        return false
      }
      let missed = state.withLock { state in
        Set((state.misses[room.place] ?? [:]).filter { $0.value >= Self.mostMisses }.keys)
      }
      let (page, missing) = try await inbox.withoutMissing(page, of: room.place, except: missed)
      let fetched = try await fetch(missing, of: room.place, connection)
      let change = try await inbox.take(poll, page, and: fetched, of: room)
      if change.isNews { state.withLock { $0.newsAt = now } }
      if room.isRecent { state.withLock { $0.paces[room.place]?.noteGap() } }
      // The page is stored. Of what fails from here on, gaps and pins stay for a later poll.
      try? await fillGap(of: room.place, connection)
      try? await retryMessages(of: room.place, connection)
      if poll.details != nil { try? await fetchPins(of: room.place, connection) }
      return change.hasMovedCursor && !room.isRecent && page.isFull(limit: room.pageSize)
    } catch let failure as NetworkFailure {
      throw failure
    } catch {
      // Our own failure: nothing of the page is stored, and it comes again.
      throw NetworkFailure(.transient, "the messages of a room could not be stored: \(error)")
    }
  }

  /// Fetches a page of the messages between those from before a long absence and the newest ones.
  private func fillGap(of room: Community.Place, _ connection: CommunityConnection) async throws {
    guard state.withLock({ $0.paces[room]?.mayFillGap ?? false }),
      let number = try await inbox.placeToContinue(in: room, onlyGaps: true)
    else { return }
    state.withLock { $0.paces[room]?.noteGapPage() }
    _ = try await inbox.fetch(before: number, in: room, by: connection)
  }

  /// Fetches what an older version of the program could not read, once.
  private func retryMessages(of room: Community.Place, _ connection: CommunityConnection) async throws {
    // Also if it fails: the next start of the program tries again.
    guard state.withLock({ $0.retriedRooms.insert(room).inserted }) else { return }
    var rest = try await inbox.messagesToTryAgain(of: room)[...]
    while !rest.isEmpty {
      let numbers = Array(rest.prefix(CommunityRequest.maxBatch))
      let messages = try await fetch(numbers, of: room, connection)
      try await inbox.takeAgain(messages, askedFor: numbers, of: room)
      rest = rest.dropFirst(numbers.count)
    }
  }

  /// Fetches pinned messages that are not here.
  private func fetchPins(of room: Community.Place, _ connection: CommunityConnection) async throws {
    var rest = try await inbox.missingPins(of: room)[...]
    while !rest.isEmpty {
      let numbers = Array(rest.prefix(CommunityRequest.maxBatch))
      try await inbox.keepPins(try await fetch(numbers, of: room, connection), of: room)
      rest = rest.dropFirst(numbers.count)
    }
  }

  /// Fetches messages that are not here, and of which the server only reports the reactions: in the meantime they left the
  /// pages that are still to come.
  private func fetch(
    _ numbers: [Int64], of room: Community.Place, _ connection: CommunityConnection
  ) async throws -> [CommunityMessage] {
    guard !numbers.isEmpty else { return [] }
    let calls = numbers.map { CommunityCall<CommunityMessage>.message($0, in: room) }
    let replies: [CommunityReply]
    do { replies = try await connection.perform(calls.map(\.request), inOrder: false) } catch let failure
      as NetworkFailure where failure.kind != .throttled
    {
      // The room itself has answered: this says nothing about our access to it.
      throw NetworkFailure(.transient, failure.message)
    }
    var messages: [CommunityMessage] = []
    for (number, (call, reply)) in zip(numbers, zip(calls, replies)) {
      do throws(NetworkFailure) {
        messages.append(try call.answer(from: reply))
      } catch {
        // This says nothing about our access to the room.
        guard reply.status != 401 else { throw NetworkFailure(.transient, error.message) }
        // One that the server does not give us, or that cannot be read, does not hold up the rest of the page.
        guard reply.isSuccess || [.gone, .unauthorized, .rejected, .tooLarge].contains(error.kind) else {
          // Neither does one of which the server fails to speak each time.
          guard noteMiss(of: number, in: room) >= Self.mostMisses else { throw error }
          continue
        }
      }
      // If it was not stored, because its author is blocked, it would not be the next time either.
      noteMiss(of: number, in: room, isLast: true)
    }
    return messages
  }

  /// Returns how often a message did not come.
  @discardableResult
  private func noteMiss(of number: Int64, in room: Community.Place, isLast: Bool = false) -> Int {
    state.withLock { state in
      var missed = state.misses[room] ?? [:]
      if missed.count >= Self.maxMissed { missed = [:] }
      let count = isLast ? Self.mostMisses : (missed[number] ?? 0) + 1
      missed[number] = count
      state.misses[room] = missed
      return count
    }
  }

  // MARK: - Pace

  func resetBackoff() {
    letters.resetBackoff()
    state.withLock { state in
      state.asksForGone = true
      for room in state.paces.keys { state.paces[room]?.resetBackoff() }
    }
  }

  func delay(after outcome: PollOutcome) async -> Duration {
    let (isBanned, newsAt, hasAnswered, failures) = state.withLock {
      ($0.isBanned, $0.newsAt, $0.hasAnswered, $0.failures)
    }
    if isBanned { return .milliseconds(RoomPace.longestDelay) }
    // Where the server answers, only what failed is delayed: the other rooms and our inboxes do not wait for it.
    if case .failed(let count) = outcome, !hasAnswered {
      return .milliseconds(RoomPace.delay(after: max(count, failures)))
    }
    switch now - newsAt {
    case ..<(15 * 60_000): return .seconds(10)
    case ..<(6 * 3_600_000): return .seconds(20)
    default: return .seconds(60)
    }
  }
}

extension NetworkFailure {
  /// False if we have no network, or the poll was given up.
  fileprivate var isOfServer: Bool { ![.unreachable, .suspended, .cancelled, .clock].contains(kind) }

  /// True if the reply may have been too large to reach us. A path that gives it up does not say why.
  fileprivate var mayBeTooLarge: Bool { kind == .tooLarge || kind == .transient }
}
