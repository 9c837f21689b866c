import { createLogStore } from '../../src/store/sqlite/log-store.ts'
import { openStore } from '../../src/store/sqlite/open.ts'
import { logRow } from './rows.ts'

// Run by durability.test.ts: appends rows in bursts and names each on standard output once it is
// committed.
const log = createLogStore(openStore(process.argv[2] ?? '').db)
let n = 0
for (;;) {
  const burst = Array.from({ length: 5 }, () => `req-${++n}`)
  await Promise.all(
    burst.map(async (requestId) => {
      await log.append(logRow({ atMs: Date.now(), requestId }))
      process.stdout.write(`${requestId}\n`)
    }),
  )
}
