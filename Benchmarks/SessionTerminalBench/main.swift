import CBench
import Measuring
import SessionTerminal

// What the full-screen interface costs a processor: its drawing, and the bytes for the terminal. The floor is the text of
// the screen alone, put together from its cells.

bench_begin(CommandLine.argc, CommandLine.unsafeArgv)

let size = ScreenSize(columns: 200, rows: 50)
let writer = GridWriter(theme: Theme(.dark), depth: .all)
var talk = Talk(size)

let drawn = talk.state.drawn()
func floor() { for _ in 0..<20 { Talk.use(drawn.text.utf8.count) } }

if Figure.isWanted("terminal/a full screen") {
  Figure(
    name: "terminal/a full screen, 200x50", floorName: "its text", amount: 20, goal: .atMost(3000)
  ).run {
    for _ in 0..<20 { Talk.use(writer.bytes(from: nil, to: talk.state.drawn()).count) }
  } floor: {
    floor()
  }
}
if Figure.isWanted("terminal/a typed character") {
  Figure(
    name: "terminal/a typed character, to its bytes", floorName: "the text of a screen", amount: 20,
    goal: .atMost(2000)
  ).run {
    var shown = talk.state.drawn()
    for _ in 0..<20 {
      talk.type("x")
      let next = talk.state.drawn()
      Talk.use(writer.bytes(from: shown, to: next).count)
      shown = next
    }
    talk.clear()
  } floor: {
    floor()
  }
}
if Figure.isWanted("terminal/a scrolled page") {
  Figure(
    name: "terminal/a scrolled page, to its bytes", floorName: "the text of a screen", amount: 20,
    goal: .atMost(8000)
  ).run {
    var shown = talk.state.drawn()
    for step in 0..<20 {
      talk.scroll(up: step < 10)
      let next = talk.state.drawn()
      Talk.use(writer.bytes(from: shown, to: next).count)
      shown = next
    }
  } floor: {
    floor()
  }
}
if Figure.isWanted("terminal/a megabyte of keys") {
  let bytes = [UInt8](repeating: UInt8(ascii: "x"), count: 1 << 20)
  Figure(
    name: "terminal/a megabyte of keys", floorName: "the sum of its bytes", amount: 1,
    goal: .atMost(1_000_000)
  ).run {
    var decoder = InputDecoder()
    Talk.use(decoder.take(bytes).count)
  } floor: {
    Talk.use(bytes.reduce(0) { $0 &+ Int($1) })
  }
}
