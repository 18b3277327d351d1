import SessionCore
import SessionNode
import Synchronization

/// A network in this process whose nodes die and come back with their stores while accounts store, read and delete:
/// nothing that was acknowledged may be lost, and nothing that was deleted may come back.
public struct SwarmTrial: Sendable {
  public struct Options: Sendable {
    /// The folder in which the nodes keep their data; it is removed at the end.
    public var folder: String
    /// Messages that are stored and read.
    public var messages: Int
    public var seed: UInt64
    public var nodes = 6
    public var swarms = 2
    /// Accounts, each of which does one thing after the other.
    public var accounts = 48
    /// After so many messages a node dies, and after as many it is back.
    public var messagesPerLife = 600

    public init(folder: String, messages: Int, seed: UInt64) {
      (self.folder, self.messages, self.seed) = (folder, messages, seed)
    }
  }

  /// The results of a trial.
  public struct Report: Sendable {
    public var stored = 0
    public var deleted = 0
    /// Messages that were read, of all members of their swarms.
    public var read = 0
    /// Requests that no node answered, which were made once more.
    public var unanswered = 0
    public var deaths = 0
    /// Descriptions of the faults that were found; empty if there are none.
    public var faults: [String] = []
    public var seconds = 0.0

    mutating func add(_ other: Report) {
      stored += other.stored
      deleted += other.deleted
      read += other.read
      unanswered += other.unanswered
      faults += other.faults
    }
  }

  private let options: Options
  private let net: Devnet

  public static func run(_ options: Options) async throws -> Report {
    var devnet = Devnet.Options(folder: options.folder)
    devnet.nodes = options.nodes
    devnet.swarms = options.swarms
    devnet.node.handshakeTimeout = .seconds(2)
    devnet.node.memberTimeout = .seconds(20)
    devnet.node.slowMemberTimeout = .seconds(20)
    devnet.node.lateTimeout = .seconds(20)
    devnet.node.replicationInterval = .milliseconds(500)
    let begun = ContinuousClock.now
    let net = try await Devnet.start(devnet)
    do {
      var report = try await SwarmTrial(options: options, net: net).run()
      await net.stop()
      report.seconds = (ContinuousClock.now - begun) / .seconds(1)
      return report
    } catch {
      await net.stop()
      throw error
    }
  }

  private func run() async throws -> Report {
    let (beats, beat) = AsyncStream.makeStream(of: Void.self, bufferingPolicy: .bufferingNewest(4))
    let progress = Progress(every: options.messagesPerLife, beat)
    let dying = Task { try await die(at: beats) }
    let users = try (0..<options.accounts).map { number in
      let share = options.messages / options.accounts + (number < options.messages % options.accounts ? 1 : 0)
      return try TrialUser(
        number: number, messages: share, seed: options.seed &+ UInt64(number) &* 0x9E37_79B9, net.file)
    }
    await withTaskGroup { group in
      for user in users { group.addTask { await user.act(progress) } }
    }
    beat.finish()
    var report = Report(deaths: try await dying.value)
    report.faults = try await settle()
    for user in users { report.add(await user.finish()) }
    return report
  }

  /// Lets one node after the other die, and come back when the next time has come. Returns how many died.
  private func die(at beats: AsyncStream<Void>) async throws -> Int {
    var random = TrialRandom(seed: options.seed)
    var (deaths, dead): (Int, Int?) = (0, nil)
    for await _ in beats {
      if let number = dead {
        try await net.revive(number)
        dead = nil
      } else {
        let number = random.below(options.nodes) + 1
        try await net.kill(number)
        (deaths, dead) = (deaths + 1, number)
      }
    }
    if let dead { try await net.revive(dead) }
    return deaths
  }

  /// Everybody is there, and gives the others what they are owed.
  private func settle() async throws -> [String] {
    for _ in 0..<20 {
      var owed = 0
      for place in await net.places {
        guard let node = place.node else { continue }
        await node.replicateNow()
        let status = await node.status()
        owed += status.debts + status.transfers
      }
      if owed == 0 { return [] }
    }
    return ["nodes still owe each other something"]
  }
}

/// Counts what was done, and says when it is time for somebody to die.
final class Progress: Sendable {
  private let state = Mutex(0)
  private let every: Int
  private let beat: AsyncStream<Void>.Continuation

  init(every: Int, _ beat: AsyncStream<Void>.Continuation) { (self.every, self.beat) = (every, beat) }

  func advance() {
    let isTime = state.withLock { count in
      count += 1
      return count % every == 0
    }
    if isTime { beat.yield() }
  }
}

/// Numbers that look random, and follow from a seed.
struct TrialRandom: RandomNumberGenerator, Sendable {
  private var state: UInt64

  init(seed: UInt64) { state = seed }

  mutating func next() -> UInt64 {
    state &+= 0x9E37_79B9_7F4A_7C15
    var mixed = state
    mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
    mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
    return mixed ^ (mixed >> 31)
  }

  mutating func below(_ bound: Int) -> Int { Int(next() % UInt64(bound)) }
}
