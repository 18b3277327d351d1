import CBench
import Glibc
import Measuring

// Figures of the messenger: what waits is received, what is written is sent, and what it takes to do neither.

let arguments = CommandLine.arguments
if arguments.count == 4, arguments[1] == IdleMessenger.argument {
  try IdleMessenger.report(arguments[2], arguments[3])
  exit(0)
}
if arguments.count == 3, arguments[1] == CatchUpBench.argument {
  try CatchUpBench.reportMemory(in: arguments[2])
  exit(0)
}
if arguments.count == 3, arguments[1] == IdleGroups.argument {
  try IdleGroups.report(in: arguments[2])
  exit(0)
}
if arguments.count == 3, arguments[1] == CommunityBench.argument {
  try CommunityBench.reportIdle(in: arguments[2])
  exit(0)
}
bench_begin(CommandLine.argc, CommandLine.unsafeArgv)
try WorkFolder.use { folder in
  if Figure.isWanted("messaging/catch-up") {
    try CatchUpBench.run(in: folder)
    OwnProcess.run(CatchUpBench.argument, folder + "/memory")
  }
  if Figure.isWanted("messaging/groups catch-up") { try GroupCatchUpBench.run(in: folder) }
  if Figure.isWanted("messaging/groups creation") { try GroupBench.run(in: folder) }
  if Figure.isWanted("messaging/groups idle") { OwnProcess.run(IdleGroups.argument, folder + "/idle-groups") }
  if Figure.isWanted("messaging/communities") { try CommunityBench.run(in: folder) }
  if Figure.isWanted("messaging/communities idle") {
    OwnProcess.run(CommunityBench.argument, folder + "/idle-rooms")
  }
  if Figure.isWanted("messaging/sending") { try SendingBench.run(in: folder) }
  if Figure.isWanted("messaging/delivery") || Figure.isWanted("messaging/idle") {
    try DevnetBench.run(in: folder)
  }
}
