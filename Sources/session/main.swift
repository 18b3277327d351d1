import Glibc
import SessionCLI

exit(await SessionTool.main())
