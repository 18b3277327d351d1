import Glibc
import Measuring
import SessionBase
import SessionCore
import SessionServers

/// A community server in a process of its own, with its rows in PostgreSQL.
struct ServerProcess {
  let address: String
  let key: String
  private let process: Int32

  /// Serves until the process is ended, if the arguments say so; false if they do not.
  static func serve(_ arguments: [String]) throws -> Bool {
    guard arguments.count == 4, arguments[1] == "--serve" else { return false }
    let site = try BenchServer.start(in: arguments[2], database: arguments[3])
    guard let address = site.server.address else { return false }
    try PendingFile.write(Array("\(address) \(site.server.key.hex)".utf8).span, to: arguments[2] + "/address")
    while true { pause() }
  }

  init(in folder: String, database: String) {
    process = OwnProcess.start(["--serve", folder, database])
    var words: [Substring] = []
    while words.count < 2 {
      usleep(10_000)
      words = OwnProcess.text(of: folder + "/address").split(separator: " ")
      guard waitpid(process, nil, WNOHANG) == 0 else { fatalError("a server has ended") }
    }
    (address, key) = (String(words[0]), String(words[1]))
  }

  /// Starts clients that post, and write to a file how fast.
  func startPosting(_ count: Int, _ file: String) -> (process: Int32, arguments: [String]) {
    unlink(file)
    let arguments = [
      "--rate", LoadClient.Mode.postInRooms.rawValue, address, key, "\(count)", BenchServer.room, "0", file,
    ]
    return (OwnProcess.start(arguments), arguments)
  }

  func end() { OwnProcess.end(process) }
}

/// The posts a second of one process, and of two with the same database, which is empty in the beginning.
func compareProcesses(_ database: String, posts: Int) throws {
  try WorkFolder.use { folder in
    let folders = ["\(folder)/one", "\(folder)/two"]
    for folder in folders { mkdir(folder, 0o700) }
    let one = ServerProcess(in: folders[0], database: database)
    let key = try OpenFile(reading: folders[0] + "/key_x25519").readAll(upTo: 1000)
    try PendingFile.write(key.span, to: folders[1] + "/key_x25519")
    let two = ServerProcess(in: folders[1], database: database)
    func rate(_ servers: [ServerProcess]) -> Double {
      let files = servers.indices.map { "\(folder)/rate\($0)" }
      let clients = zip(servers, files).map { $0.startPosting(posts / servers.count, $1) }
      for client in clients { OwnProcess.finish(client.process, client.arguments) }
      return files.reduce(0) { sum, file in
        sum + (OwnProcess.text(of: file).split(separator: " ").first.flatMap { Double($0) } ?? 0)
      }
    }
    var rates: (one: [Double], both: [Double]) = ([], [])
    _ = rate([one, two])
    for _ in 0..<5 {
      rates.one.append(rate([one]))
      rates.both.append(rate([one, two]))
    }
    let (alone, together) = (rates.one.sorted()[2], rates.both.sorted()[2])
    print(
      """
      community/M9 posts in 20 rooms on PostgreSQL: one process \(Int(alone))/s, two processes \
      \(Int(together))/s, ratio \((together / alone * 100).rounded() / 100), at least 1.6
      """)
    one.end()
    two.end()
  }
}
