import SessionBase
import SessionCore
import SessionJobs
import SessionNetworking

/// Makes what polls the swarm of an account, and what has a node notify of new messages there.
struct AccountPolling: Sendable {
  private let environment: MessengerEnvironment
  private let inbox: Inbox
  private let signer: Storage.Signer

  init(_ environment: MessengerEnvironment, _ inbox: Inbox, _ signer: Storage.Signer) {
    self.environment = environment
    self.inbox = inbox
    self.signer = signer
  }

  func parts(within limits: any PollLimits) -> PollSupervisor.Parts {
    let (clock, chance) = (environment.clock, environment.chance)
    let rest: @Sendable (Duration) async -> Void = { rest in
      await clock.sleep(until: clock.now.saturatingAdd(rest.milliseconds))
    }
    let choose: @Sendable (Int) -> Int = { count in min(Int(chance() * Double(count)), count - 1) }
    let poller = SwarmPoller(
      of: signer.account, through: environment.swarms, into: inbox.ofAccount, schedule: environment.schedule,
      limits: limits, rest: rest, choose: choose)
    let monitor = environment.swarms.watch.map { watch in
      SwarmMonitor(
        as: signer, AccountInbox.namespaces, through: environment.swarms, watch, waking: poller, rest: rest,
        choose: choose)
    }
    return PollSupervisor.Parts(poller: poller, monitor: monitor)
  }
}
