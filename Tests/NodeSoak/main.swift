import Foundation
import SwarmTrials

// Stores and reads messages in a network whose nodes die and come back: `NodeSoak [COUNT [SEED]]`.

let numbers = CommandLine.arguments.dropFirst().compactMap { UInt64($0) }
guard numbers.count == CommandLine.argc - 1, numbers.count <= 2 else {
  print("usage: NodeSoak [COUNT [SEED]]")
  exit(64)
}
let folder = FileManager.default.temporaryDirectory.appending(path: "node-soak-\(UUID().uuidString)")
let options = SwarmTrial.Options(
  folder: folder.path, messages: Int(numbers.first ?? 100_000), seed: numbers.dropFirst().first ?? 1)
let report = try await SwarmTrial.run(options)
let rate = Int(Double(report.stored) / report.seconds)
print(
  "network whose nodes die: \(report.stored) messages stored (\(rate) a second), \(report.read) read at their members,"
    + " \(report.deleted) deleted, \(report.deaths) deaths, \(report.unanswered) requests made again")
for fault in report.faults.prefix(20) { print("  \(fault)") }
print(
  "network whose nodes die: \(report.faults.isEmpty ? 1 : 0) passed, \(report.faults.isEmpty ? 0 : 1) failed")
exit(report.faults.isEmpty ? 0 : 1)
