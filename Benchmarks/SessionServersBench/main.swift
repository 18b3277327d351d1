import CBench
import CSodium
import Glibc
import Measuring
import SessionBase
import SessionCore
import SessionServers

// Figures of a community server. The floor is the cost of verifying the signature of each request.
//
//   SessionServersBench                       all figures, and a crowd for some seconds
//   SessionServersBench crowd                 10,000 clients that poll for ten minutes, each every 10 seconds
//   SessionServersBench crowd CLIENTS SECONDS
//   SessionServersBench start [MESSAGES]      the time from the start of a server with so many messages to its first answer
//   SessionServersBench two [POSTS [ADDRESS]] two processes on one empty database of PostgreSQL, and one of them alone; without
//                                             an address on one that is started for it
//   SessionServersBench rates [SECONDS [ADDRESS KEY ROOM PROCESS]]
//                                             requests a second, five times for so many seconds; with the address, the key
//                                             and a public room of another server on this machine, that one in turn

if try LoadClient.run(CommandLine.arguments) { exit(0) }
if try LoadClient.measure(CommandLine.arguments) { exit(0) }
if try LoadClient.runCrowd(CommandLine.arguments) { exit(0) }
if try ServerProcess.serve(CommandLine.arguments) { exit(0) }
/// Verifies so many signatures of requests.
func verify(_ count: Int) {
  var (key, secret) = ([UInt8](repeating: 0, count: 32), [UInt8](repeating: 0, count: 64))
  var signature = [UInt8](repeating: 0, count: 64)
  let message = [UInt8](repeating: 7, count: 300)
  crypto_sign_keypair(&key, &secret)
  crypto_sign_detached(&signature, nil, message, UInt64(message.count), secret)
  for _ in 0..<count {
    guard crypto_sign_verify_detached(signature, message, UInt64(message.count), key) == 0 else {
      fatalError("a signature is not right")
    }
  }
}

/// Clients poll this often, in milliseconds.
let pollInterval = 10_000

/// Stops a server, and prints how long another one takes from its start in the same folder to its first answer.
func measureStart(_ site: BenchServer, in folder: String, messages: Int) throws {
  try site.stop()
  let start = ContinuousClock.now
  let again = try BenchServer.start(in: folder)
  again.readOnce()
  let time = ContinuousClock.now - start
  print("community/start with \(messages) messages to the first answer: \(time), at most 1 s")
  try again.stop()
}

switch CommandLine.arguments.dropFirst().first {
case "crowd"?:
  let numbers = CommandLine.arguments.dropFirst(2).compactMap { Int($0) }
  let (clients, seconds) = (numbers.first ?? 10_000, numbers.dropFirst().first ?? 600)
  try WorkFolder.use { folder in
    let site = try BenchServer.start(in: folder)
    try site.load(.post, 1000)
    site.crowd(
      clients, interval: pollInterval, rounds: max(seconds * 1000 / pollInterval, 1), connections: 64)
    print("community/private memory after that: \(OwnProcess.privateKilobytes() / 1024) MiB, at most 60")
    try site.stop()
  }
  exit(0)
case "start"?:
  let messages = CommandLine.arguments.dropFirst(2).first.flatMap { Int($0) } ?? 1_000_000
  try WorkFolder.use { folder in
    let site = try BenchServer.start(in: folder)
    for left in stride(from: messages, to: 0, by: -20_000) { try site.load(.post, min(left, 20_000)) }
    try measureStart(site, in: folder, messages: messages)
  }
  exit(0)
case "two"?:
  let words = CommandLine.arguments.dropFirst(2)
  let posts = words.first.flatMap { Int($0) } ?? 6400
  if let address = words.dropFirst().first {
    try compareProcesses(address, posts: posts)
  } else {
    try WorkFolder.use { folder in
      let own = OwnPostgreSQL(in: folder)
      try compareProcesses(own.address, posts: posts)
      own.stop()
    }
  }
  exit(0)
case "rates"?:
  let words = Array(CommandLine.arguments.dropFirst(2))
  let seconds = words.first.flatMap { Int($0) } ?? 20
  var other: MeasuredServer?
  if words.count == 5, let process = Int32(words[4]) {
    other = MeasuredServer(
      name: "the other server", address: words[1], key: words[2], room: words[3], process: process)
  }
  try WorkFolder.use { folder in
    let site = try BenchServer.start(in: folder)
    // As many rooms and messages as the other one is to have.
    for left in stride(from: 10_000, to: 0, by: -2000) { try site.load(.postOfMany, min(left, 2000)) }
    guard let address = site.server.address else { fatalError("the server has ended") }
    let ours = MeasuredServer(
      name: "ours", address: "\(address)", key: site.server.key.hex, room: BenchServer.room, process: getpid()
    )
    Measures(ours: ours, other: other, folder: folder, seconds: seconds).run()
    if other == nil { print("no other server was given, so the floors alone stand beside these figures") }
    try site.stop()
  }
  exit(0)
default: break
}

bench_begin(CommandLine.argc, CommandLine.unsafeArgv)
try WorkFolder.use { folder in
  let site = try BenchServer.start(in: folder)
  let (few, many, polls) = (100, 20_000, 4000)
  try site.load(.post, few)
  for (name, posts) in [("few", 0), ("many", many)] {
    try site.load(.post, posts)
    Figure(
      name: "community/poll at rest, \(name) messages", floorName: "C, verify a signature",
      amount: Double(polls),
      // A core's 1,250 a second.
      goal: .atMost(800)
    ).run {
      try site.load(.poll, polls)
    } floor: {
      verify(polls)
    }
  }
  Figure(
    name: "community/poll at rest through the network", floorName: "C, verify a signature",
    amount: Double(polls)
  ).run {
    try site.load(.sealedPoll, polls)
  } floor: {
    verify(polls)
  }
  if Figure.isWanted("community/clients at a steady pace") {
    // Few enough for a machine that does other things as well.
    site.crowd(2000, interval: 2000, rounds: 3, connections: 8)
  }
  Figure(
    name: "community/newest 100 messages", floorName: "none", amount: 200, goal: .atMost(5000)
  ).run(ours: { try site.load(.recent, 200) }, floor: nil)
  Figure(
    name: "community/catch up, a message", floorName: "none", amount: Double(many), goal: .none
  ).run(ours: { try site.load(.catchUp, many) }, floor: nil)
  Figure(
    name: "community/post, acknowledged on disk", floorName: "C, verify two signatures", amount: 2000,
    goal: .atMost(500), isElapsed: true
  ).run {
    try site.load(.post, 2000)
  } floor: {
    verify(4000)
  }
  print("community/private memory after all that: \(OwnProcess.privateKilobytes() / 1024) MiB, at most 60")
  try measureStart(site, in: folder, messages: many + 2000)
}
