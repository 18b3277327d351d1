import CBench
import Glibc
import SessionStorage
import StorageFloor

// Figures of the storage beside what the same statements cost in bare loops over the same library.

let arguments = CommandLine.arguments
if arguments.count == 3, arguments[1] == IdleAccount.argument {
  try IdleAccount.report(arguments[2])
  exit(0)
}
bench_begin(CommandLine.argc, CommandLine.unsafeArgv)
try inFolder { folder in
  try Rehearsal.run(in: folder)
  try WritingBench(in: folder).run()
  try ReadingBench(in: folder).run()
}

/// Makes a folder for the databases, which goes in the end.
func inFolder(_ body: (String) throws -> Void) throws {
  var template = Array("\(getenv("TMPDIR").map { String(cString: $0) } ?? "/tmp")/bench.XXXXXX".utf8CString)
  guard mkdtemp(&template) != nil else { fatalError("there is no folder to work in: set TMPDIR") }
  let folder = String(decoding: template.dropLast().map(UInt8.init(bitPattern:)), as: UTF8.self)
  defer {
    for name in ["rehearsal.db", "ours.db", "floor.db", "history.db"] {
      for ending in ["", "-wal", "-shm", ".change"] { unlink("\(folder)/\(name)\(ending)") }
    }
    rmdir(folder)
  }
  try body(folder)
}
