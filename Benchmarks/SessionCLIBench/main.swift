import CBench
import Glibc
import Household
import Measuring
import SessionCore

// Measures the time that a person waits at a prompt: each command is a new process.

bench_begin(CommandLine.argc, CommandLine.unsafeArgv)
let program = Program.session
if Figure.isWanted("command/version") {
  let floors = [
    (name: "an empty program in C", program: Program(path: "/bin/true")),
    (name: "one in Swift", program: Program.empty),
  ]
  Report(name: "command/version", mostMilliseconds: 5, mostMebibytes: 12, floors: floors).run(
    50, program, "--version")
}
try WorkFolder.use { folder in
  if Figure.isWanted("command/size") {
    let stripped = folder + "/session"
    Program(path: "/usr/bin/strip").run(["-o", stripped, program.path])
    var facts = stat()
    stat(stripped, &facts)
    print("command/size: \((Double(facts.st_size) / 1_048_576).rounded(to: 1)) MiB, stripped")
  }
  guard
    Figure.isWanted("command/chats") || Figure.isWanted("command/send")
      || Figure.isWanted("command/send with dead nodes")
  else { return }
  let household = try Household(folder)
  household.account("alice")
  household.account("bob")
  let stranger = try Account.generate().id
  if Figure.isWanted("command/send --wait stored") {
    Report(name: "command/send --wait stored", mostMilliseconds: 150, mostMebibytes: nil).run(
      40, household.session, "send", "\(stranger)", "--account", "alice", "--wait", "stored", "Hello")
  }
  if Figure.isWanted("command/chats") {
    try household.fill("bob", conversations: 100, messages: 100)
    Report(name: "command/chats --json, 10,000 messages", mostMilliseconds: 40, mostMebibytes: 30).run(
      30, household.session, "chats", "--account", "bob", "--json")
  }
  if Figure.isWanted("command/send with dead nodes") {
    try household.measureDeadNodes(from: "alice", to: "\(stranger)")
  }
  try household.stop()
}
