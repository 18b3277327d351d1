import CLinux
import Glibc

package enum Terminal {
  /// The width of a terminal; nil if it is not one.
  package static func columns(of descriptor: Int32) -> Int? {
    guard isatty(descriptor) == 1 else { return nil }
    let columns = Int(linux_terminal_columns(descriptor))
    return columns > 0 ? columns : 80
  }
}
