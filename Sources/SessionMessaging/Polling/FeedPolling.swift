import SessionBase
import SessionCore
import SessionJobs
import SessionNetworking
import SessionStorage

/// Says which swarms are polled, and makes what polls each of them.
struct FeedPolling: Sendable {
  let context: AccountContext
  let author: ConfigAuthor
  let inbox: Inbox

  func parts(of feed: Feed, within limits: any PollLimits) -> PollSupervisor.Parts {
    let owner: SessionID
    switch feed {
    case .account: owner = context.own
    case .group(let id): owner = id
    case .server: preconditionFailure("no feed of a server is wanted")
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

  /// The groups that are to be polled: those we are in, with what lets us read them. On the worker queue's own thread.
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
