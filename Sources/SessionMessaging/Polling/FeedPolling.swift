import SessionBase
import SessionCore
import SessionJobs
import SessionNetworking
import SessionStorage

/// Decides which swarms and servers are polled, and creates their pollers.
struct FeedPolling: Sendable {
  let context: AccountContext
  let author: ConfigAuthor
  let inbox: Inbox

  func parts(of feed: Feed, within limits: any PollLimits) -> PollSupervisor.Parts {
    switch feed {
    case .account: return parts(of: context.own, within: limits)
    case .group(let id): return parts(of: id, within: limits)
    case .server(let url):
      guard let makeFeed = context.environment.makeServerFeed else {
        preconditionFailure("servers are wanted only if there is a feed for them")
      }
      return PollSupervisor.Parts(
        poller: ServerPoller(
          ServerRound(makeFeed(url, context), sleep: rest), limits: limits, rest: rest,
          chance: context.environment.chance))
    }
  }

  private var rest: @Sendable (Duration) async -> Void {
    { [clock = context.environment.clock] rest in
      await clock.sleep(until: clock.now.saturatingAdd(rest.milliseconds))
    }
  }

  private func parts(of owner: SessionID, within limits: any PollLimits) -> PollSupervisor.Parts {
    let environment = context.environment
    let chance = environment.chance
    let rest = rest
    let choose: @Sendable (Int) -> Int = { count in min(Int(chance() * Double(count)), count - 1) }
    let inbox = inbox.makeInbox(of: owner)
    let poller = SwarmPoller(
      of: owner, through: environment.swarms, into: inbox, schedule: environment.schedule, limits: limits,
      rest: rest, choose: choose, chance: chance)
    let monitor = environment.swarms.watch.map { watch in
      SwarmMonitor(
        of: owner, as: { [author] in try await author.currentCredentials(for: owner)?.signer },
        inbox.plan.namespaces, through: environment.swarms, watch, waking: poller, rest: rest, choose: choose,
        chance: chance)
    }
    return PollSupervisor.Parts(poller: poller, monitor: monitor)
  }

  /// Returns what to poll: the groups that we are in and have the credentials to read, and the servers with a room to
  /// poll. Runs on the worker queue's own thread.
  func wanted() throws -> WantedFeeds {
    let groups = try author.configs.read { configs in
      try configs.groups.groups().filter { $0.credentials(of: context.account) != nil }.map(\.id)
    }
    let pollsServers = context.environment.makeServerFeed != nil
    let activity = try context.database.read { transaction in
      let groups = try groups.map { id in
        (Feed.group(id), try transaction.latestActivity(in: id.address) ?? 0)
      }
      return groups + (pollsServers ? try transaction.serverActivity() : [])
    }
    return WantedFeeds(Dictionary(activity) { first, _ in first })
  }
}

extension Reading where Self: ~Copyable {
  /// The servers with a room to poll, and the time of the last activity in one of these rooms.
  fileprivate func serverActivity() throws -> [(Feed, Int64)] {
    try communityServers().compactMap { server in
      let rooms = try communities(on: server.url).filter(\.isPolled)
      let times = try rooms.map { room in
        try thread(room.threadID).flatMap { try latestActivity(in: $0.address) } ?? 0
      }
      return times.max().map { (Feed.server(server.url), $0) }
    }
  }
}
