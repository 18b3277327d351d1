import Glibc
import SessionCLI

// Not `exit`: that frees what libraries own while other threads of this process still use it. Nothing waits to be
// written: each command writes its output itself.
_exit(await SessionTool.main())
