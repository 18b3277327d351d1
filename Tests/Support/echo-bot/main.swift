import Foundation
import SessionCore
import SessionMessaging
import SessionNetworking
import SessionStorage

let file = try NetworkFile(parsing: [UInt8](try Data(contentsOf: URL(filePath: "network.json"))))
let network = try Network(Network.Options(file))
try await network.start()

let folder = try AccountFolder("echo", in: StorageRoots(environment: ProcessInfo.processInfo.environment))
let environment = MessengerEnvironment(
  swarms: NetworkSwarms(network), files: try FileClient(of: file, through: NetworkServers(network)))
let bot =
  folder.exists
  ? try await Messenger.open(folder, environment)
  : try await Messenger.create(.generate(), name: "Echo", in: folder, environment)
try await bot.start()

for try await event in bot.events(for: "echo") {
  do {
    if event.kind == .messageReceived, let id = event.message, let message = try await bot.message(id),
      !message.isOutgoing, message.kind == .message, !message.body.isEmpty
    {
      try await bot.send(OutgoingText(message.body, answering: id), to: message.conversation)
    }
  } catch let error where error is MessengerError || error is SessionError {
    // A message that cannot be answered is skipped: the next one must not wait for it.
    print("event \(event.id.rawValue) was skipped: \(error)")
  }
  try await bot.acknowledge(event.id, by: "echo")
}
