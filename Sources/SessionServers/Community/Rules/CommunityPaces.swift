import SessionCore
import SessionService
import Synchronization

/// How many requests a server takes: of each person, of strangers, and of people who have never come before. All of it is
/// in memory, so that requests over a limit cost no access to the disk.
final class CommunityPaces: Sendable {
  private let signed, changes, newcomers, strangers, onions, forgers, exits: RateLimiter
  private static let everyone: [UInt8] = [0]
  /// The last time, and what to add to it: a clock that is set back must not stop the refilling.
  private let time = Mutex<(last: Int64, ahead: Int64)>((0, 0))
  /// The files of a day.
  let uploads = RecentCounts(span: 86_400_000)
  /// The messages to others of an hour.
  let letters = RecentCounts(span: 3_600_000)
  /// Those to moderators.
  let lettersToModerators = RecentCounts(span: 3_600_000)
  /// The edits of the latest time that limits look at.
  let edits = RecentEdits()
  /// Those who may not post for some time.
  let refusedPosts = RefusedPosts()

  init(_ options: CommunityServer.Options) {
    let options = options.requests
    signed = Self.limiter(burst: options.burst, perSecond: options.perPerson)
    changes = Self.limiter(burst: options.changesPerMinute, perSecond: options.changesPerMinute / 60)
    newcomers = Self.limiter(burst: options.newcomersPerMinute, perSecond: options.newcomersPerMinute / 60)
    strangers = Self.limiter(burst: options.perAddress * 5, perSecond: options.perAddress)
    onions = Self.limiter(burst: options.anonymous * 5, perSecond: options.anonymous)
    forgers = Self.limiter(burst: options.perAddress * 5, perSecond: options.perAddress)
    exits = Self.limiter(burst: options.anonymous * 5, perSecond: options.anonymous)
  }

  private static func limiter(burst: Double, perSecond: Double) -> RateLimiter {
    RateLimiter(.init(burst: burst, perSecond: perSecond, perSecondOfNodes: perSecond, clients: 65_536))
  }

  /// Throws 429 for a request that is one too many; `now` is in milliseconds.
  func check(person key: [UInt8], now: Int64) throws(CommunityRefusal) { try check(signed, key, now, 1) }

  /// The same for an edit, a deletion or a reaction.
  func check(changeBy key: [UInt8], now: Int64) throws(CommunityRefusal) { try check(changes, key, now, 5) }

  /// The same for somebody who comes for the first time.
  func checkNewcomer(now: Int64) throws(CommunityRefusal) { try check(newcomers, Self.everyone, now, 60) }

  /// The same for an anonymous request: from an address, or through the network.
  func check(address: NetworkAddress?, over way: ServerMetrics.Way, now: Int64) throws(CommunityRefusal) {
    switch way {
    case .onion: try check(onions, Self.everyone, now, 1)
    case .plain: try check(strangers, address?.hostBytes ?? Self.everyone, now, 1)
    }
  }

  /// Throws 429 for an address that has sent too many wrong signatures: checking one costs as much as answering many
  /// requests. Through the network, the address is that of a node, which passes on the requests of many people.
  func checkForgeries(
    from address: NetworkAddress?, over way: ServerMetrics.Way, now: Int64
  ) throws(CommunityRefusal) {
    let time = UInt64(clamping: steadyTime(now)) &* 1_000_000
    guard forgeries(way).hasRoom(for: address?.hostBytes ?? Self.everyone, now: time) else {
      throw CommunityRefusal(429, "Too many requests", retryAfter: 1)
    }
  }

  /// Counts a signature that is wrong.
  func noteForgery(from address: NetworkAddress?, over way: ServerMetrics.Way, now: Int64) {
    let time = UInt64(clamping: steadyTime(now)) &* 1_000_000
    _ = forgeries(way).admits(address?.hostBytes ?? Self.everyone, isNode: false, now: time)
  }

  private func forgeries(_ way: ServerMetrics.Way) -> RateLimiter { way == .plain ? forgers : exits }

  private func check(
    _ limiter: RateLimiter, _ key: [UInt8], _ now: Int64, _ seconds: Int64
  ) throws(CommunityRefusal) {
    let steady = steadyTime(now)
    guard limiter.admits(key, isNode: false, now: UInt64(clamping: steady) &* 1_000_000) else {
      throw CommunityRefusal(429, "Too many requests", retryAfter: seconds)
    }
  }

  /// The milliseconds by which a request may be older than others that were counted: batches and posts take their time.
  private static let latestRequest: Int64 = 60_000

  /// A time that never goes back.
  private func steadyTime(_ now: Int64) -> Int64 {
    time.withLock { time in
      if now < time.last - Self.latestRequest {
        time.ahead += time.last - now
        time.last = now
      }
      time.last = max(time.last, now)
      return time.last + time.ahead
    }
  }
}
