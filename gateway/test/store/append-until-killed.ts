import { createLogStore } from '../../src/store/sqlite/log-store.ts'
import { openStore } from '../../src/store/sqlite/open.ts'

// Run by durability.test.ts: appends rows in bursts and names each on standard output once it is
// committed.
const log = createLogStore(openStore(process.argv[2] ?? '').db)
let n = 0
for (;;) {
  const burst = Array.from({ length: 5 }, () => `req-${++n}`)
  await Promise.all(
    burst.map(async (requestId) => {
      await log.append({
        atMs: Date.now(),
        method: 'POST',
        endpoint: '/api/mx/v1/submitOrder',
        statusCode: 200,
        responseMs: 1,
        queueMs: 0,
        upstreamMs: 1,
        clientRef: null,
        clientId: null,
        requestId,
        exchange: 'mx',
        code: null,
        shared: false,
        note: null,
      })
      process.stdout.write(`${requestId}\n`)
    }),
  )
}
