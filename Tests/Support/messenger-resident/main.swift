import Glibc
import SessionBase
import SessionCore
import SessionMessaging
import SessionNetworking
import SessionStorage

// One device of a messenger as a process of its own, which tells what it has done. It is there to be killed.
//
// Beside receiving it writes somebody the numbers from where it left off and calls them by the last one, or sends them a
// file with each number, a few at a time, or fetches every file that comes.

func tell(_ line: String, to descriptor: Int32 = STDOUT_FILENO) {
  let bytes = Array("\(line)\n".utf8)
  if write(descriptor, bytes, bytes.count) != bytes.count { exit(1) }
}

extension Messenger {
  /// The last number that was written to somebody.
  func lastNumber(to person: SessionID) async throws -> Int {
    guard try await conversation(.person(person)) != nil else { return 0 }
    let sent = try await messages(in: .person(person), limit: Self.maxPage).lazy.filter(\.isOutgoing)
    return sent.compactMap { Int($0.body) }.max() ?? 0
  }

  /// How many of the newest messages to somebody are on their way.
  func unsent(to person: SessionID) async throws -> Int {
    guard try await conversation(.person(person)) != nil else { return 0 }
    return try await messages(in: .person(person)).count { $0.state == .sending }
  }
}

func writeNumbers(_ messenger: Messenger, to person: SessionID) async throws {
  var number = try await messenger.lastNumber(to: person)
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

/// As many bytes as the number of a file tells, of one kind.
func content(of number: Int) -> [UInt8] {
  [UInt8](repeating: UInt8(truncatingIfNeeded: number), count: 1_000_000 + number)
}

func sendFiles(_ messenger: Messenger, to person: SessionID) async throws {
  var number = try await messenger.lastNumber(to: person)
  while true {
    let before = try await messenger.lastEvent()
    guard try await messenger.unsent(to: person) < 4 else {
      for try await _ in messenger.events(from: before) { break }
      continue
    }
    number += 1
    let file = OutgoingFile(.bytes(content(of: number)), name: "\(number)")
    try await messenger.send(OutgoingText("\(number)"), attachments: [file], to: person)
    tell("sent \(number)")
  }
}

func fetchFiles(_ messenger: Messenger) async throws {
  for try await event in messenger.events(for: "fetcher") {
    if event.kind == .messageReceived, let id = event.message {
      for file in try await messenger.attachments(of: id) { try await messenger.download(file.id) }
    }
    try await messenger.acknowledge(event.id, by: "fetcher")
  }
}

func tellReceived(_ messenger: Messenger) async throws {
  for try await event in messenger.events(for: "notifier") {
    if event.kind == .messageReceived, let id = event.message, let message = try await messenger.message(id) {
      tell("received \(message.body)")
    }
    try await messenger.acknowledge(event.id, by: "notifier")
  }
}

func tellTransfers(_ transfers: AsyncStream<FileTransfer>) async {
  for await transfer in transfers where transfer.progress >= 1 {
    tell("moved \(transfer.attachment.rawValue)")
  }
}

let words = CommandLine.arguments
let task = words.count > 3 ? words[3] : nil
guard 3...5 ~= words.count, (words.count == 5) == ["write", "send"].contains(task) else {
  tell("usage: messenger-resident FOLDER NETWORK [write PERSON | send PERSON | fetch]", to: STDERR_FILENO)
  exit(64)
}
do {
  let file = try NetworkFile(parsing: try OpenFile(reading: words[2]).readAll(upTo: 1 << 24))
  let network = try Network(Network.Options(file))
  try await network.start()
  let folder = try AccountFolder("account", in: StorageRoots(inside: words[1]))
  let files = try FileClient(of: file, through: NetworkServers(network))
  let messenger = try await Messenger.open(
    folder, MessengerEnvironment(swarms: NetworkSwarms(network), files: files))
  let transfers = messenger.transfers()
  try await messenger.start()
  tell("started")
  try await withThrowingTaskGroup { group in
    group.addTask { try await tellReceived(messenger) }
    group.addTask { await tellTransfers(transfers) }
    if words.count == 5 {
      let person = try SessionID(parsing: words[4])
      group.addTask {
        if task == "write" {
          try await writeNumbers(messenger, to: person)
        } else {
          try await sendFiles(messenger, to: person)
        }
      }
    } else if task == "fetch" {
      group.addTask { try await fetchFiles(messenger) }
    }
    try await group.waitForAll()
  }
} catch {
  tell("\(error)", to: STDERR_FILENO)
  exit(1)
}
