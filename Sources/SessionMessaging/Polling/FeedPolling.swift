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
    let limits = LoggedPolls(of: feed, limits, context.environment.log)
    switch feed {
    case .account: return parts(of: context.own, within: limits)
    case .group(let id): return parts(of: id, within: limits)
    case .server(let url):
      return PollSupervisor.Parts(
        poller: ServerPoller(
          ServerRound(makeFeed(of: url), sleep: sleep), limits: limits, sleep: sleep,
          chance: context.environment.chance))
    }
  }

  private func makeFeed(of server: String) -> any ServerFeed {
    let rooms = inbox.makeInbox(ofServer: server)
    if let makeFeed = context.environment.makeServerFeed { return makeFeed(rooms) }
    guard let client = context.environment.communities else {
      preconditionFailure("servers are wanted only if there is a feed for them")
    }
    return CommunityFeed(rooms, LetterFeed(inbox.makeLetterInbox(ofServer: server)), through: client)
  }

  private var sleep: @Sendable (Duration) async -> Void {
    { [clock = context.environment.clock] delay in
      await clock.sleep(until: clock.now.saturatingAdd(delay.milliseconds))
    }
  }

  private func parts(of owner: SessionID, within limits: any PollLimits) -> PollSupervisor.Parts {
    let environment = context.environment
    let chance = environment.chance
    let sleep = sleep
    let choose: @Sendable (Int) -> Int = { count in min(Int(chance() * Double(count)), count - 1) }
    let inbox = inbox.makeInbox(of: owner)
    let poller = SwarmPoller(
      of: owner, through: environment.swarms, into: inbox, schedule: environment.schedule, limits: limits,
      sleep: sleep, choose: choose, chance: chance)
    let monitor = environment.swarms.watch.map { watch in
      SwarmMonitor(
        of: owner, as: { [author] in try await author.currentCredentials(for: owner)?.signer },
        inbox.plan.namespaces, through: environment.swarms, watch, waking: poller, sleep: sleep,
        choose: choose, chance: chance)
    }
    return PollSupervisor.Parts(poller: poller, monitor: monitor)
  }

  /// Returns what to poll. Runs on the worker queue's own thread.
  func wanted() throws -> WantedFeeds {
    let groups = try author.configs.read { configs in try configs.groups.groups() }
    let environment = context.environment
    let pollsServers = environment.makeServerFeed != nil || environment.communities != nil
    return try context.database.read { transaction in
      WantedFeeds(
        try groups.map { group in (group, try transaction.latestActivity(in: group.id.address) ?? 0) },
        pollsServers ? try transaction.rooms() : [], for: context.account)
    }
  }
}

extension Reading where Self: ~Copyable {
  fileprivate func rooms() throws -> [WantedFeeds.Room] {
    try communityServers().flatMap { server in
      try communities(on: server.url).map { room in
        let thread = try thread(room.threadID)
        return WantedFeeds.Room(
          server: server.url, isPolled: room.isPolled,
          lastActivity: try thread.flatMap { try latestActivity(in: $0.address) } ?? 0)
      }
    }
  }
}
