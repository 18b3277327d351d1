import Foundation
import Spawning
import Synchronization

@testable public import SessionStorage

/// A PostgreSQL server for tests, in a fresh folder, which it leaves when it goes. It listens on a socket there.
public final class PostgreSQLInstance: Sendable {
  /// Why there is no server.
  public struct Absence: Error, CustomStringConvertible {
    public let description: String
  }

  /// Obeys the lines of its standard input, and stops the server at the end of it: however the tests end.
  /// PostgreSQL does not run as root.
  private static let script = """
    folder=$1
    PATH=$PATH:$(echo /usr/lib/postgresql/*/bin | tr ' ' ':')
    fail() { echo "$1: $(tail -n 1 "$folder/log" 2>/dev/null)"; rm -rf "$folder"; exit 1; }
    command -v postgres >/dev/null && command -v initdb >/dev/null || fail "postgres is not installed"
    user=
    if [ "$(id -u)" = 0 ]; then
      user="setpriv --reuid=65534 --regid=65534 --clear-groups"
      chown 65534:65534 "$folder"
    fi
    $user initdb -D "$folder/data" -U session -A trust --no-sync --locale=C -E UTF8 >"$folder/log" 2>&1 ||
      fail "initdb failed"
    printf 'local all locked scram-sha-256\\nlocal all all trust\\n' >"$folder/data/pg_hba.conf"
    start() {
      $user postgres -D "$folder/data" -c listen_addresses= -c unix_socket_directories="$folder" -c fsync=off \\
        -c full_page_writes=off -c max_connections=400 -c shared_buffers=32MB -c deadlock_timeout=100ms \\
        >>"$folder/log" 2>&1 </dev/null &
      child=$!
      attempts=0
      until pg_isready -q -h "$folder"; do
        kill -0 $child 2>/dev/null || fail "postgres does not start"
        attempts=$((attempts + 1))
        if [ $attempts = 1200 ]; then
          stop
          fail "postgres does not become ready"
        fi
        sleep 0.05
      done
    }
    stop() { kill -QUIT $child; wait $child; }
    start
    echo ready
    while read -r order; do $order; echo ready; done
    stop
    rm -rf "$folder"
    """

  /// The server of all tests, which begins when it is first needed.
  public static let shared = Result { try PostgreSQLInstance() }

  /// The folder of its socket.
  public let folder: String
  private let orders: FileHandle
  private let answers: FileHandle
  private let databases = Mutex<(free: [String], count: Int)>(([], 0))

  public init() throws {
    folder = FileManager.default.temporaryDirectory.path + "/pg-\(UUID().uuidString.prefix(8))"
    try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
    let (input, output) = (Pipe.closedOnExec(), Pipe.closedOnExec())
    (orders, answers) = (input.fileHandleForWriting, output.fileHandleForReading)
    let process = Process()
    process.executableURL = URL(filePath: "/bin/sh")
    process.arguments = ["-c", Self.script, "sh", folder]
    process.standardInput = input
    process.standardOutput = output
    try process.start()
    try expectAnswer()
  }

  deinit { try? orders.close() }

  /// Starts a server for one test. The calls of `init` block.
  public static func own() async throws -> PostgreSQLInstance {
    try await withCheckedThrowingContinuation { waiting in
      Thread.detachNewThread { waiting.resume(with: Result { try PostgreSQLInstance() }) }
    }
  }

  private func expectAnswer() throws {
    let said = String(decoding: answers.availableData, as: UTF8.self)
    guard said == "ready\n" else { throw Absence(description: said) }
  }

  private func order(_ order: String) throws {
    try orders.write(contentsOf: Data((order + "\n").utf8))
    try expectAnswer()
  }

  /// Ends the server at once, as a crash would.
  public func stop() throws { try order("stop") }

  public func start() throws { try order("start") }

  // MARK: - Databases

  public func address(of database: String, user: String = "session") throws -> PostgreSQLAddress {
    try PostgreSQLAddress(
      "postgresql:///\(database)?host=\(folder.replacingOccurrences(of: "/", with: "%2F"))&user=\(user)")
  }

  /// Runs statements in a database.
  public func run(_ script: String, in database: String = "postgres") throws {
    let connection = PostgreSQLConnection(try address(of: database))
    try connection.open()
    try connection.run(script)
    connection.close()
  }

  /// Takes an empty database; its name.
  public func takeDatabase() throws -> String {
    let (free, number) = databases.withLock { databases in
      databases.count += 1
      return (databases.free.popLast(), databases.count)
    }
    if let free { return free }
    let name = "test\(number)"
    try run("CREATE DATABASE \(name)")
    return name
  }

  /// Empties a database that is not used any more, for the next test.
  public func giveBack(_ database: String) throws {
    try run("DROP SCHEMA public CASCADE; CREATE SCHEMA public", in: database)
    databases.withLock { $0.free.append(database) }
  }
}
