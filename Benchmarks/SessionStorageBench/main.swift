import CBench
import Glibc
import Measuring
import SessionStorage
import StorageFloor

// Figures of the storage beside what the same statements cost in bare loops over the same library.

let arguments = CommandLine.arguments
if arguments.count == 3, arguments[1] == IdleAccount.argument {
  try IdleAccount.report(arguments[2])
  exit(0)
}
bench_begin(CommandLine.argc, CommandLine.unsafeArgv)
try WorkFolder.use { folder in
  try Rehearsal.run(in: folder)
  try WritingBench(in: folder).run()
  try ReadingBench(in: folder).run()
}
