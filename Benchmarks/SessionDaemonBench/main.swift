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
  if Figure.isWanted("daemon/send") { SendingBench.report(home, to: "\(stranger)") }
  try home.fill("alice", conversations: 100, messages: 50)
  CallBench.report(home)
  if Figure.isWanted("daemon/idle") { IdleBench.report(home) }
  try home.stop()
}
