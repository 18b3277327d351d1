import Glibc
import SessionCore
import SessionMessaging
import SessionNetworking
import SessionStorage

// One device of a messenger as a process of its own, which tells what it has done. It is there to be killed.
//
// With a person it writes them the numbers from where it left off, as fast as it may, and calls them by the last one; it
// receives all the while.

func tell(_ line: String, to descriptor: Int32 = STDOUT_FILENO) {
  let bytes = Array("\(line)\n".utf8)
  if write(descriptor, bytes, bytes.count) != bytes.count { exit(1) }
}

func writeNumbers(_ messenger: Messenger, to person: SessionID) async throws {
  var number = 0
  if try await messenger.conversation(person) != nil {
    let sent = try await messenger.messages(in: person, limit: Messenger.maxPage).lazy.filter(\.isOutgoing)
    number = sent.compactMap { Int($0.body) }.max() ?? 0
  }
  while true {
    number += 1
    try await messenger.send("\(number)", to: person)
    tell("sent \(number)")
    if number % 4 == 0 {
      try await messenger.setNickname("Number \(number)", of: person)
      tell("called \(number)")
    }
    try await Task.sleep(for: .milliseconds(30))
  }
}

func tellReceived(_ messenger: Messenger) async throws {
  for try await event in messenger.events(for: "teller") {
    if event.kind == .messageReceived, let id = event.message, let message = try await messenger.message(id) {
      tell("received \(message.body)")
    }
    try await messenger.acknowledge(event.id, by: "teller")
  }
}

let words = CommandLine.arguments
guard words.count == 3 || words.count == 4 else {
  tell("usage: messenger-resident FOLDER NETWORK [PERSON]", to: STDERR_FILENO)
  exit(64)
}
do {
  let file = try NetworkFile(parsing: try OpenFile(reading: words[2]).readAll(upTo: 1 << 24))
  let network = try Network(Network.Options(file))
  try await network.start()
  let folder = try AccountFolder("account", in: StorageRoots(inside: words[1]))
  let messenger = try await Messenger.open(folder, Dependencies(swarms: NetworkSwarms(network)))
  try await messenger.start()
  tell("started")
  try await withThrowingTaskGroup { group in
    group.addTask { try await tellReceived(messenger) }
    if words.count == 4 {
      let person = try SessionID(parsing: words[3])
      group.addTask { try await writeNumbers(messenger, to: person) }
    }
    try await group.waitForAll()
  }
} catch {
  tell("\(error)", to: STDERR_FILENO)
  exit(1)
}
