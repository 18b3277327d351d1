import CLinux
import Glibc

package enum Terminal {
  /// How wide a terminal is; nil where there is none.
  package static func columns(of descriptor: Int32) -> Int? {
    guard isatty(descriptor) == 1 else { return nil }
    let columns = Int(linux_terminal_columns(descriptor))
    return columns > 0 ? columns : 80
  }
}
