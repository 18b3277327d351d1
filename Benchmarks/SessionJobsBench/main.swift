import CBench
import Glibc
import Measuring

// Figures of the jobs beside what their rows cost in bare loops over the same library.

let arguments = CommandLine.arguments
if arguments.count == 3, arguments[1] == IdleRunner.argument {
  try IdleRunner.report(arguments[2])
  exit(0)
}
bench_begin(CommandLine.argc, CommandLine.unsafeArgv)
try WorkFolder.use { folder in
  try Rehearsal.run(in: folder)
  try DrainBench(in: folder).run()
  try LatencyBench.run(in: folder)
  try IdleRunner.prepare(folder + "/idle.db")
  OwnProcess.run(IdleRunner.argument, folder + "/idle.db")
}
