import Glibc
import JobHistories

// Runs COUNT random histories of jobs, starting at a seed: `JobSoak [COUNT [FIRST]]`.

let numbers = CommandLine.arguments.dropFirst().compactMap { UInt64($0) }
guard numbers.count == CommandLine.argc - 1, numbers.count <= 2 else {
  print("usage: JobSoak [COUNT [FIRST]]")
  exit(64)
}
let count = numbers.first ?? 100_000
let first = numbers.dropFirst().first ?? 1
if let found = try Histories.check(count, from: first) {
  print(found)
  print("histories of jobs: 0 passed, 1 failed")
  exit(1)
}
print("histories of jobs: \(count) passed, 0 failed")
