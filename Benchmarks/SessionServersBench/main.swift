import CBench
import CSodium
import Glibc
import Measuring

// Figures of a community server. The floor is the cost of verifying the signature of each request.

if try LoadClient.run(CommandLine.arguments) { exit(0) }
bench_begin(CommandLine.argc, CommandLine.unsafeArgv)

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
  try site.stop()
}
