import Folders
import Foundation
import Glibc
import SessionBase
import Spawning
import Testing

@testable import SessionDaemon

/// Whom a socket lets in, and which files it replaces.
@Suite(.timeLimit(.minutes(5))) struct SocketListenerTests {
  private let folder: TemporaryFolder

  init() throws { folder = try TemporaryFolder() }

  private var path: String { folder.path("socket") }

  /// What a client of this user reads.
  private func bytes(from path: String) async throws -> [UInt8]? {
    try await StreamSocket.connect(to: path).read()?.bytes
  }

  private func permissions(_ path: String) -> (mode: mode_t, group: gid_t) {
    var status = stat()
    return stat(path, &status) == 0 ? (status.st_mode & 0o777, status.st_gid) : (0, 0)
  }

  @Test func othersAreClosedWithoutAByte() async throws {
    let own = geteuid()
    let listener = try SocketListener(at: path) { $0 != own }
    let accepting = Task { await listener.next() }
    #expect(try await bytes(from: path) == nil)
    accepting.cancel()
    #expect(await accepting.value == nil)
  }

  /// A real process of another user, where this one may make it.
  @Test(.enabled(if: geteuid() == 0), arguments: [true, false])
  func anotherUserIsAdmittedByTheListOfUsersOnly(_ isListed: Bool) async throws {
    let other: UInt32 = 65534
    chmod(folder.path(""), 0o711)
    var socket = ExtraSocket("bots", at: path)
    socket.isForGroup = true
    socket.group = other
    socket.users = [isListed ? other : 1]
    let listener = try SocketListener(for: socket)
    let serving = Task {
      while let client = await listener.next() { try? await client.write([7]) }
    }
    let script = """
      import os, socket, sys
      os.setgroups([]); os.setgid(65534); os.setuid(65534)
      s = socket.socket(socket.AF_UNIX); s.connect(sys.argv[1]); sys.exit(len(s.recv(1)))
      """
    let process = Process()
    process.executableURL = URL(filePath: "/usr/bin/python3")
    process.arguments = ["-c", script, path]
    let (ends, ending) = AsyncStream.makeStream(of: Int32.self)
    process.terminationHandler = { ending.yield($0.terminationStatus) }
    try process.start()
    for await status in ends {
      #expect(status == (isListed ? 1 : 0))
      break
    }
    serving.cancel()
    await serving.value
  }

  @Test func theFileHasTheModeAndGroupOfTheSocket() throws {
    let own = try SocketListener(at: path)
    #expect(permissions(path).mode == 0o600)
    own.close()
    var socket = ExtraSocket("bots", at: path)
    socket.isForGroup = true
    socket.group = getegid()
    let shared = try SocketListener(for: socket)
    #expect(permissions(path) == (0o660, getegid()))
    shared.close()
    #expect(access(path, F_OK) != 0)
  }

  @Test func onlyAnOwnSocketWithoutAProgramIsReplaced() throws {
    let first = try SocketListener(at: path)
    #expect { try SocketListener(at: path) } throws: { ($0 as? FileError)?.code == .inUse }
    // A program that was killed leaves its socket.
    let left = folder.path("left")
    #expect(rename(path, left) == 0)
    first.close()
    let second = try SocketListener(at: left)
    second.close()
    try Data("dear".utf8).write(to: URL(filePath: path))
    #expect { try SocketListener(at: path) } throws: { ($0 as? FileError)?.code == .exists }
    // A link is not followed.
    let link = folder.path("link")
    #expect(symlink(folder.path("nowhere"), link) == 0)
    #expect { try SocketListener(at: link) } throws: { ($0 as? FileError)?.code == .exists }
    #expect(try String(contentsOfFile: path, encoding: .utf8) == "dear")
  }

  @Test func aFolderWhereOthersCanReplaceFilesIsRefused() throws {
    let open = folder.path("open")
    #expect(mkdir(open, 0o777) == 0 && chmod(open, 0o777) == 0)
    #expect { try SocketListener(at: "\(open)/s") } throws: { ($0 as? FileError)?.code == .forbidden }
    // Like /tmp, where everyone can replace only own files.
    #expect(chmod(open, 0o1777) == 0)
    try SocketListener(at: "\(open)/s").close()
    #expect { try SocketListener(at: folder.path("missing/s")) } throws: {
      ($0 as? FileError)?.code == .uncreatable
    }
  }
}
