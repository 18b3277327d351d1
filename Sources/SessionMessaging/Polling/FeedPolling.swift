import SessionBase
import SessionCore
import SessionJobs
import SessionNetworking
import SessionStorage

/// Decides which swarms are polled, and creates their pollers.
struct FeedPolling: Sendable {
  let context: AccountContext
  let author: ConfigAuthor
  let inbox: Inbox

  func parts(of feed: Feed, within limits: any PollLimits) -> PollSupervisor.Parts {
    let owner: SessionID
    switch feed {
    case .account: owner = context.own
    case .group(let id): owner = id
    case .server: preconditionFailure("server feeds are never wanted")
    }
    let environment = context.environment
    let (clock, chance) = (environment.clock, environment.chance)
    let rest: @Sendable (Duration) async -> Void = { rest in
      await clock.sleep(until: clock.now.saturatingAdd(rest.milliseconds))
    }
    let choose: @Sendable (Int) -> Int = { count in min(Int(chance() * Double(count)), count - 1) }
    let inbox = inbox.makeInbox(of: owner)
    let poller = SwarmPoller(
      of: owner, through: environment.swarms, into: inbox, schedule: environment.schedule, limits: limits,
      rest: rest, choose: choose)
    let monitor = environment.swarms.watch.map { watch in
      SwarmMonitor(
        of: owner, as: { [author] in try await author.currentCredentials(for: owner)?.signer },
        inbox.plan.namespaces, through: environment.swarms, watch, waking: poller, rest: rest, choose: choose)
    }
    return PollSupervisor.Parts(poller: poller, monitor: monitor)
  }

  /// Returns the groups to poll: those that we are in and have the credentials to read. Runs on the worker queue's
  /// own thread.
  func wanted() throws -> WantedFeeds {
    let groups = try author.configs.read { configs in
      try configs.groups.groups().filter { $0.credentials(of: context.account) != nil }.map(\.id)
    }
    let activity = try context.database.read { transaction in
      try groups.map { id in (Feed.group(id), try transaction.latestActivity(in: id.address) ?? 0) }
    }
    return WantedFeeds(Dictionary(activity) { first, _ in first })
  }
}
