import Glibc
import Measuring

/// A PostgreSQL server in a folder, for one measurement. Its commits reach the disk.
final class OwnPostgreSQL {
  /// PostgreSQL does not run as root.
  private static let script = """
    folder=$1
    PATH=$PATH:$(echo /usr/lib/postgresql/*/bin | tr ' ' ':')
    command -v postgres >/dev/null && command -v initdb >/dev/null || { echo "postgres is not installed" >&2; exit 1; }
    user=
    if [ "$(id -u)" = 0 ]; then
      user="setpriv --reuid=65534 --regid=65534 --clear-groups"
      chown 65534:65534 "$folder"
    fi
    $user initdb -D "$folder/data" -U session -A trust --locale=C -E UTF8 >"$folder/log" 2>&1 || exit 1
    $user pg_ctl -D "$folder/data" -l "$folder/server.log" -w -o \\
      "-c listen_addresses= -c unix_socket_directories=$folder -c max_connections=200" start >"$folder/log" 2>&1 || exit 1
    $user createdb -h "$folder" -U session bench
    """
  private static let end = """
    folder=$1
    PATH=$PATH:$(echo /usr/lib/postgresql/*/bin | tr ' ' ':')
    user=
    if [ "$(id -u)" = 0 ]; then user="setpriv --reuid=65534 --regid=65534 --clear-groups"; fi
    $user pg_ctl -D "$folder/data" -m immediate stop >/dev/null
    """

  private let folder: String
  /// The address of an empty database.
  let address: String

  /// Starts one, or ends the program where none is installed.
  init(in folder: String) {
    self.folder = folder
    chmod(folder, 0o755)
    guard Self.run(Self.script, folder) else { fatalError("PostgreSQL cannot be started: see \(folder)") }
    let host = folder.split(separator: "/", omittingEmptySubsequences: false).joined(separator: "%2F")
    address = "postgresql:///bench?host=\(host)&user=session"
  }

  func stop() { _ = Self.run(Self.end, folder) }

  private static func run(_ script: String, _ folder: String) -> Bool {
    var words = (["/bin/sh", "-c", script, "sh", folder] as [String]).map { strdup($0) } + [nil]
    defer { for word in words { free(word) } }
    var (process, status): (pid_t, Int32) = (0, 0)
    guard posix_spawn(&process, "/bin/sh", nil, nil, &words, environ) == 0 else { return false }
    return waitpid(process, &status, 0) == process && status == 0
  }
}
