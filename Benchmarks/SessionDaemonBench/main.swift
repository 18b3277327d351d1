import CBench
import Household
import Measuring
import SessionCore

// Measures the daemon from outside: what it costs to use it, and to have it.

bench_begin(CommandLine.argc, CommandLine.unsafeArgv)
try WorkFolder.use { folder in
  let home = try Household(folder)
  home.account("alice")
  let stranger = try Account.generate().id
  let floor = DiskFloor(in: folder)
  if Figure.isWanted("daemon/send") { SendingBench.report(home, to: "\(stranger)", floor) }
  try home.fill("alice", conversations: 100, messages: 50)
  CallBench.report(home)
  try EventBench.report(home)
  let more = (0..<IdleBench.most).map { "a\($0)" }
  if ["daemon/idle", "daemon/start"].contains(where: Figure.isWanted) {
    for name in more { home.account(name) }
  }
  StartBench.report(home, ["alice"] + more)
  if Figure.isWanted("daemon/idle") { IdleBench.report(home) }
  try home.stop()
}
