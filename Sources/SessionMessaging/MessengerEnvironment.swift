public import SessionCore
public import SessionJobs
public import SessionNetworking

/// Everything a messenger needs besides the folder of its account.
public struct MessengerEnvironment: Sendable {
  /// The swarms of everybody.
  public var swarms: any SwarmService
  /// Where files are brought to and fetched from; nil where there is no such place, and messages have none.
  public var files: FileClient?
  /// How files are sealed that are sent. All clients open both formats.
  public var fileFormat = AttachmentFormat.legacy
  public var clock: any JobClock
  /// A number from 0 up to 1, for rests after failures and for choosing nodes.
  public var chance: @Sendable () -> Double
  /// How often our own swarm is polled.
  public var schedule: PollSchedule
  /// Receives diagnostics, which never contain a secret, a text or an id.
  public var log: @Sendable (String) -> Void

  public init(
    swarms: any SwarmService, files: FileClient? = nil, clock: any JobClock = SystemClock(),
    chance: @escaping @Sendable () -> Double = JobEnvironment.random, schedule: PollSchedule = PollSchedule(),
    log: @escaping @Sendable (String) -> Void = { _ in }
  ) {
    self.swarms = swarms
    self.files = files
    self.clock = clock
    self.chance = chance
    self.schedule = schedule
    self.log = log
  }
}
