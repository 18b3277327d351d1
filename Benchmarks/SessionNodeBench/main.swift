import CBench
import Glibc
import Measuring

// Figures of a node and of a network beside what the same work costs in bare loops over the same libraries.

let arguments = CommandLine.arguments
if try finish({ try await BenchClient.run(arguments) }) { exit(0) }
bench_begin(CommandLine.argc, CommandLine.unsafeArgv)
try WorkFolder.use { folder in
  try Rehearsal.run(in: folder)
  try PeelBench.run()
  try DirectBench.run(in: folder)
  try ThreeHopBench.run(in: folder)
}
