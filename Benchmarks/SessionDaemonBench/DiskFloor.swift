import CBench
import Glibc
import Measuring

/// What a durable commit cannot be faster than: a page that is written and brought to the disk.
struct DiskFloor {
  /// The median, in milliseconds.
  let milliseconds: Double

  init(in folder: String) {
    let file = open(folder + "/floor", O_RDWR | O_CREAT | O_CLOEXEC, 0o600)
    guard file >= 0 else { fatalError("nothing can be written in \(folder)") }
    let page = [UInt8](repeating: 1, count: 4096)
    let times = (0..<50).map { number in
      let begun = bench_seconds()
      guard pwrite(file, page, page.count, off_t(number * page.count)) == page.count, fdatasync(file) == 0
      else {
        fatalError("\(folder) cannot be written")
      }
      return (bench_seconds() - begun) * 1e3
    }
    close(file)
    milliseconds = times.sorted().part(0.5)
  }
}

/// One line: times of something, beside a floor, and whether they are good enough. All in milliseconds.
func printed(
  _ name: String, _ times: [Double], floor: (name: String, milliseconds: Double),
  most: (p50: Double, late: (share: Double, milliseconds: Double)?)
) {
  let times = times.sorted()
  let half = times.part(0.5)
  var line = "\(name): p50 \(half.rounded(to: 2)) ms"
  if let late = most.late {
    line += ", p\((late.share * 100).rounded(to: 0)) \(times.part(late.share).rounded(to: 2)) ms"
  }
  line += "; \(floor.name) \(floor.milliseconds.rounded(to: 2)) ms, ratio "
  line += "\((half / max(floor.milliseconds, 0.001)).rounded(to: 1)); target \(most.p50.rounded(to: 1)) ms"
  var isMet = half <= most.p50
  if let late = most.late {
    line += " and \(late.milliseconds.rounded(to: 1)) ms"
    isMet = isMet && times.part(late.share) <= late.milliseconds
  }
  print(line + ": \(judged(isMet))")
}
