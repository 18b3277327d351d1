public import SessionBase
public import SessionCore
public import SessionJobs
public import SessionNetworking
public import SessionStorage

/// Everything a messenger needs besides the folder of its account.
public struct MessengerEnvironment: Sendable {
  /// The swarms of all accounts and groups.
  public var swarms: any SwarmService
  /// The client for uploads and downloads; nil without a file server, and messages then have no files.
  public var files: FileClient?
  /// The client for communities; nil if no community can be joined, and no room is polled.
  public var communities: CommunityClient?
  /// What resolves registered names; nil if none can be resolved.
  public var names: (any NameService)?
  /// The server whose rooms are offered to everybody; nil for none.
  public var defaultCommunity: CommunityServer?
  /// The format of sent files. All clients read both formats.
  public var fileFormat = AttachmentFormat.legacy
  public var clock: any JobClock
  /// Returns a number from 0 up to 1, for retry delays and the choice of nodes.
  public var chance: @Sendable () -> Double
  /// How often the account's own swarm is polled.
  public var schedule: PollSchedule
  /// Divides polls among the accounts of a program; nil for an account that polls as its schedule says.
  public var pollBudget: PollBudget?
  /// How long events are kept, which a program may change.
  public var retention: @Sendable () -> EventRetention = { EventRetention() }
  /// Creates the feeds of community servers in place of those that use the client.
  var makeServerFeed: ServerFeedFactory?
  /// The version of the program. A newer one tries once more what an older one could not read.
  public var programVersion = ""
  /// Identifies the machine. An account that was copied to another one does not go on with the keys of its device.
  public var machine = MessengerEnvironment.machineID
  /// Receives what may help to find a fault.
  public var log: ClientLog

  public init(
    swarms: any SwarmService, files: FileClient? = nil, communities: CommunityClient? = nil,
    clock: any JobClock = SystemClock(),
    chance: @escaping @Sendable () -> Double = JobEnvironment.random, schedule: PollSchedule = PollSchedule(),
    log: ClientLog = .silent
  ) {
    self.swarms = swarms
    self.files = files
    self.communities = communities
    self.clock = clock
    self.chance = chance
    self.schedule = schedule
    self.log = log
  }
}
