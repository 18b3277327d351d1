import Foundation
import SessionCore
import SessionMessaging
import SessionNetworking
import SessionNode
import SessionStorage

// Two people talk over a network that loses one datagram of twenty: all that is written arrives, once. The program fails
// where something does not.

/// How long after it was written each message of a run arrived.
struct Run {
  let name: String
  var times: [Duration] = []

  func report() {
    let sorted = times.sorted()
    print(
      "\(name): \(sorted.count) arrived; p50 \(milliseconds(sorted, 0.5)) ms, "
        + "p95 \(milliseconds(sorted, 0.95)) ms, the last one \(milliseconds(sorted, 1)) ms")
  }

  private func milliseconds(_ sorted: [Duration], _ share: Double) -> Int {
    guard !sorted.isEmpty else { return 0 }
    return Int(sorted[min(sorted.count - 1, Int(Double(sorted.count) * share))] / .milliseconds(1))
  }
}

struct Lost: Error {
  let what: String
}

/// One person's device, and its way into the network.
struct Resident {
  let messenger: Messenger
  let network: Network

  init(_ name: String, _ path: String, _ file: NetworkFile) async throws {
    network = try Network(Network.Options(file))
    try await network.start()
    messenger = try await Messenger.create(
      .generate(), name: name, in: AccountFolder("account", in: StorageRoots(inside: path)),
      Dependencies(swarms: NetworkSwarms(network)))
    try await messenger.start()
  }

  func stop() async {
    await messenger.stop()
    await network.stop()
  }
}

/// Writes `count` messages, so many at a time with a rest in between, and sees all of them arrive.
func run(
  _ name: String, _ count: Int, at once: Int, every rest: Duration, from alice: Messenger, to bob: Messenger
) async throws -> Run {
  let reader = name
  // What happened before is none of this run's.
  if let last = try await bob.events(after: try await bob.cursor(of: reader), limit: Messenger.maxEvents).last
  {
    try await bob.acknowledge(last.id, by: reader)
  }
  async let arrivals = arrivals(of: count, named: name, at: bob, reader)
  var written: [String: ContinuousClock.Instant] = [:]
  for start in stride(from: 0, to: count, by: once) {
    for number in start..<min(start + once, count) {
      let body = "\(name) \(number)"
      written[body] = .now
      try await alice.send(body, to: bob.id)
    }
    try await Task.sleep(for: rest)
  }
  var run = Run(name: name)
  for (body, time) in try await arrivals {
    guard let begun = written.removeValue(forKey: body) else { throw Lost(what: "'\(body)' came twice") }
    run.times.append(time - begun)
  }
  guard written.isEmpty else { throw Lost(what: "\(written.count) of \(count) did not arrive") }
  return run
}

func arrivals(
  of count: Int, named name: String, at bob: Messenger, _ reader: String
) async throws -> [(String, ContinuousClock.Instant)] {
  var found: [(String, ContinuousClock.Instant)] = []
  for try await event in bob.events(for: reader) {
    if event.kind == .messageReceived, let id = event.message, let message = try await bob.message(id),
      message.body.hasPrefix(name)
    {
      found.append((message.body, .now))
    }
    try await bob.acknowledge(event.id, by: reader)
    if found.count == count { return found }
  }
  return found
}

let path = FileManager.default.temporaryDirectory.appending(path: "messenger-soak-\(UUID().uuidString)").path
defer { try? FileManager.default.removeItem(atPath: path) }
var options = Devnet.Options(folder: path + "/net")
options.nodes = 8
options.swarms = 2
let net = try await Devnet.start(options)
let alice = try await Resident("Alice", path + "/alice", net.file)
let bob = try await Resident("Bob", path + "/bob", net.file)
try await alice.messenger.send("Hello", to: bob.messenger.id)
_ = try await arrivals(of: 1, named: "Hello", at: bob.messenger, "first")
try await bob.messenger.acceptRequest(of: alice.messenger.id)
for loss in [0, 0.05] {
  try await net.change(WeatherChange(loss: loss))
  let weather = loss == 0 ? "in fair weather" : "with 5 % lost"
  let (alice, bob) = (alice.messenger, bob.messenger)
  try await run("50 at once, \(weather)", 200, at: 50, every: .seconds(5), from: alice, to: bob).report()
  try await run("one each 250 ms, \(weather)", 200, at: 1, every: .milliseconds(250), from: alice, to: bob)
    .report()
  let bodies = try await bob.search("once", limit: Messenger.maxPage).messages.map(\.body)
  guard Set(bodies).count == bodies.count else { throw Lost(what: "some are there twice") }
}
await alice.stop()
await bob.stop()
await net.stop()
