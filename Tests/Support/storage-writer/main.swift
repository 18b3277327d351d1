import Glibc
import SessionStorage
import StorageLedger

// Writes the entries of a ledger as fast as it can, for ever, and says the number of each once it is committed. It is
// there to be killed.

/// Writes a line; true if all of it was written.
func say(_ text: String, to descriptor: Int32) -> Bool {
  let bytes = Array("\(text)\n".utf8)
  return write(descriptor, bytes, bytes.count) == bytes.count
}

guard CommandLine.arguments.count == 2 else {
  _ = say("usage: storage-writer FOLDER", to: STDERR_FILENO)
  exit(64)
}
do {
  let database = try Ledger.open(in: CommandLine.arguments[1])
  var number = try Ledger.check(database).last
  repeat {
    number += 1
    try Ledger.write(number, to: database)
    if number % 50 == 0 { try database.compact() }
  } while say("\(number)", to: STDOUT_FILENO)
} catch let error as StorageError {
  _ = say("\(error.code): \(error)", to: STDERR_FILENO)
  exit(1)
} catch {
  _ = say("\(error)", to: STDERR_FILENO)
  exit(1)
}
