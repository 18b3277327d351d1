import SessionBase
import SessionCore
import SessionNetworking
import SessionStorage
import Synchronization

/// Polls the rooms of one community server in batches.
final class CommunityFeed: ServerFeed {
  /// A room between polls. After a restart of the program all rooms are polled at once.
  private struct Pace {
    /// Replies in a row that could not be used, and that the room does not exist.
    var failures = 0
    var absences = 0
    var notBefore: Int64 = 0
  }

  private struct State {
    var paces: [Community.Place: Pace] = [:]
    var newsAt: Int64
    var isBanned = false
  }

  /// The rooms in the first request, which also has the capabilities, and in each further one.
  private static let firstRooms = 9
  private static let rooms = CommunityRequest.maxBatch / 2

  private static let longestDelay: Int64 = 3_600_000
  private static let delayWithoutAccess: Int64 = 600_000
  /// The polls in a row after which a room that does not exist is gone.
  private static let mostAbsences = 3

  private let inbox: RoomInbox
  private let client: CommunityClient
  private let state: Mutex<State>

  init(_ inbox: RoomInbox, through client: CommunityClient) {
    self.inbox = inbox
    self.client = client
    state = Mutex(State(newsAt: inbox.context.jobTime))
  }

  private var now: Int64 { inbox.context.jobTime }

  func poll() async throws -> ServerPollResult {
    guard let key = try await inbox.serverKey() else { return ServerPollResult() }
    let connection = CommunityConnection(
      server: try CommunityServer(inbox.server, key: key), context: inbox.context, client: client)
    let all = try await inbox.roomsToPoll()
    let rooms = state.withLock { state in
      // A room that we leave and join again begins anew.
      state.paces = state.paces.filter { pace in all.contains { $0.place == pace.key } }
      return all.filter { state.paces[$0.place]?.notBefore ?? 0 <= now }
    }
    var (rest, isFirst, result, worked) = (rooms[...], true, ServerPollResult(), 0)
    var failure: NetworkFailure?
    repeat {
      let part = Array(rest.prefix(isFirst ? Self.firstRooms : Self.rooms))
      rest = rest.dropFirst(part.count)
      for (room, outcome) in try await poll(part, withCapabilities: isFirst, connection) {
        switch outcome {
        case .success(let hasMore):
          worked += 1
          result.hasMore = result.hasMore || hasMore
        case .failure(let error): failure = error
        }
        if let end = setPace(of: room, after: outcome) { try await inbox.close(room, as: end) }
      }
      isFirst = false
    } while !rest.isEmpty
    // One broken room does not make the server fail.
    if worked == 0, let failure { throw failure }
    return result
  }

  /// Polls some rooms with one request. Returns whether each has more messages.
  private func poll(
    _ rooms: [PolledRoom], withCapabilities: Bool, _ connection: CommunityConnection
  ) async throws -> [(Community.Place, Result<Bool, NetworkFailure>)] {
    let calls = rooms.map { room in
      (
        info: CommunityCall<CommunityPoll>.poll(room.place, knowing: room.infoUpdates),
        page: CommunityCall<CommunityPage>.messages(room.span, in: room.place)
      )
    }
    let capabilities = CommunityCall<CommunityCapabilities>.capabilities
    var requests = calls.flatMap { [$0.info.request, $0.page.request] }
    if withCapabilities { requests.insert(capabilities.request, at: 0) }
    guard !requests.isEmpty else { return [] }
    var replies: ArraySlice<CommunityReply>
    do {
      replies = try await connection.perform(requests, inOrder: false)[...]
    } catch let ban as CommunityBan {
      state.withLock { $0.isBanned = true }
      for room in rooms { try await inbox.close(room.place, as: .noAccess) }
      throw ban
    }
    state.withLock { $0.isBanned = false }
    if withCapabilities, let answer = try? capabilities.answer(from: replies.removeFirst()) {
      try await inbox.take(answer)
    }
    var outcomes: [(Community.Place, Result<Bool, NetworkFailure>)] = []
    for (room, calls) in zip(rooms, calls) {
      let (info, page) = (replies.removeFirst(), replies.removeFirst())
      do throws(NetworkFailure) {
        let poll = try calls.info.answer(from: info)
        let messages = try calls.page.answer(from: page)
        outcomes.append((room.place, .success(try await take(poll, messages, of: room, connection))))
      } catch {
        outcomes.append((room.place, .failure(error)))
      }
    }
    return outcomes
  }

  private func take(
    _ poll: CommunityPoll, _ page: CommunityPage, of room: PolledRoom, _ connection: CommunityConnection
  ) async throws(NetworkFailure) -> Bool {
    do {
      let (page, missing) = try await inbox.withoutMissing(page, of: room.place)
      let fetched = try await fetch(missing, of: room.place, connection)
      let change = try await inbox.take(poll, page, and: fetched, of: room)
      if change.isNews { state.withLock { $0.newsAt = now } }
      return change.hasMovedCursor && room.cursor > 0 && page.isFull
    } catch let failure as NetworkFailure {
      throw failure
    } catch {
      // Our own failure: nothing of the page is stored, and it comes again.
      throw NetworkFailure(.transient, "the messages of a room could not be stored: \(error)")
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
    return zip(calls, replies).compactMap { call, reply in
      // One that the server cannot give does not hold up the rest of the page.
      try? call.answer(from: reply)
    }
  }

  // MARK: - Pace

  /// Decides when to poll a room again. Returns its state if we cannot read it any more.
  private func setPace(
    of room: Community.Place, after outcome: Result<Bool, NetworkFailure>
  ) -> CommunityRecord.State? {
    let now = now
    return state.withLock { state in
      var end: CommunityRecord.State?
      var pace = state.paces[room] ?? Pace()
      switch outcome {
      case .success: pace = Pace()
      case .failure(let failure) where failure.kind == .unauthorized:
        pace = Pace(notBefore: now + Self.delayWithoutAccess)
        end = .noAccess
      case .failure(let failure) where failure.kind == .gone:
        pace.absences += 1
        guard pace.absences >= Self.mostAbsences else { break }
        pace.notBefore = now + Self.longestDelay
        end = .gone
      case .failure:
        pace.failures += 1
        pace.notBefore = now + min(Self.longestDelay, 1000 * (3 + 1 << min(pace.failures, 12)))
      }
      state.paces[room] = pace
      return end
    }
  }

  func delay(after outcome: PollOutcome) async -> Duration {
    let (isBanned, newsAt) = state.withLock { ($0.isBanned, $0.newsAt) }
    if isBanned { return .milliseconds(Self.longestDelay) }
    if case .failed(let count) = outcome { return .seconds(min(3600, 3 + 1 << min(count, 12))) }
    switch now - newsAt {
    case ..<(15 * 60_000): return .seconds(10)
    case ..<(6 * 3_600_000): return .seconds(20)
    default: return .seconds(60)
    }
  }
}
