import Foundation
import SessionMessaging
import SessionNode
import SessionServers

// Two people talk and send files over a network that loses one datagram of twenty: all of it arrives, once, and whole. The
// program fails where something does not. With the word `messages` or `files` it does that alone.

let wanted = CommandLine.arguments.dropFirst()
let path = FileManager.default.temporaryDirectory.appending(path: "messenger-soak-\(UUID().uuidString)").path
defer { try? FileManager.default.removeItem(atPath: path) }
var options = Devnet.Options(folder: path + "/net")
options.nodes = 8
options.swarms = 2
options.servers = [.fileServer]
let net = try await Devnet.start(options)
let alice = try await Resident("Alice", path + "/alice", net.file)
let bob = try await Resident("Bob", path + "/bob", net.file)
try await alice.messenger.send("Hello", to: bob.messenger.id)
_ = try await arrivals(of: 1, named: "Hello", at: bob.messenger, "first")
try await bob.messenger.acceptRequest(.person(alice.messenger.id))
let weathers = [(loss: 0, name: "in fair weather"), (loss: 0.05, name: "with 5 % lost")]
if wanted.isEmpty || wanted.contains("messages") {
  for weather in weathers {
    try await net.change(WeatherChange(loss: weather.loss))
    let (alice, bob) = (alice.messenger, bob.messenger)
    try await run("50 at once, \(weather.name)", 200, at: 50, every: .seconds(5), from: alice, to: bob)
      .report()
    try await run(
      "one each 250 ms, \(weather.name)", 200, at: 1, every: .milliseconds(250), from: alice, to: bob
    ).report()
    let bodies = try await bob.search("once", limit: Messenger.maxPage).messages.map(\.body)
    guard Set(bodies).count == bodies.count else { throw Lost(what: "some are there twice") }
  }
}
if wanted.isEmpty || wanted.contains("files") {
  for weather in weathers {
    try await net.change(WeatherChange(loss: weather.loss))
    let files = FileRun(
      name: weather.name, count: 24, bytes: 5 << 20, atOnce: 2, alice: alice.messenger, bob: bob.messenger)
    try await files.up().report()
    try await files.down().report()
    try await files.check()
  }
}
await alice.stop()
await bob.stop()
await net.stop()
