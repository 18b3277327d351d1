import FoundationEssentials
import Glibc
import SessionBase
import SessionCore
import SessionService
import SessionStorage
import Synchronization

/// The folder of a devnet's state.
final class DevnetFolder: Sendable {
  let path: String
  private let isTemporary: Bool
  private let lock: Mutex<FileLock?>

  var networkFile: String { path + "/network.json" }
  var control: String { path + "/control" }
  var operatorKey: SeedFile { SeedFile(path: path + "/operator.key") }

  /// Locks a folder for one devnet. A temporary one is emptied first, and deleted when it is released.
  init(_ path: String, isTemporary: Bool) throws {
    try StorageError.files { () throws(FileError) in try PrivateFolder.prepare(path) }
    self.path = path
    self.isTemporary = isTemporary
    lock = Mutex(try Self.hold(path))
    if isTemporary { clear() }
  }

  private static func hold(_ path: String) throws -> FileLock {
    do throws(FileError) {
      return try FileLock(path + "/lock", of: path, purpose: "session devnet")
    } catch  where error.code == .inUse {
      throw NodeFailure.devnetRuns(path)
    } catch {
      throw StorageError(error)
    }
  }

  deinit { release() }

  /// Lets the folder go, once the devnet has ended.
  func release() {
    guard let lock = lock.withLock({ $0.take() }) else { return }
    unlink(control)
    if isTemporary { try? FileManager.default.removeItem(atPath: path) }
    withExtendedLifetime(lock) {}
  }

  func node(_ number: Int) -> NodeFolder {
    NodeFolder(path: path + "/node-" + (number < 10 ? "0" : "") + "\(number)")
  }

  func server(_ name: String) -> String { path + "/server-" + name }

  /// The list of the last time, if there was one.
  func readNetworkFile() -> NetworkFile? { try? KeptList(path: networkFile).read() }

  func write(_ file: NetworkFile) throws { try KeptList(path: networkFile).write(file) }

  private func clear() {
    let files = FileManager.default
    for name in (try? files.contentsOfDirectory(atPath: path)) ?? [] where name != "lock" {
      try? files.removeItem(atPath: path + "/" + name)
    }
  }
}
