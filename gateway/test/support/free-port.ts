import { once } from 'node:events'
import { createServer } from 'node:net'

/** Systems give ports above these to connections and to listeners that ask for any port. */
const FIRST = 12_000
/** 40 workers have so many ports each. */
const PORTS = 500

/** Ports of its own for each worker of Vitest, for each of Playwright, and for other programs. */
function firstPort(): number {
  const { VITEST_POOL_ID, TEST_PARALLEL_INDEX = '9' } = process.env
  const slot =
    VITEST_POOL_ID === undefined
      ? 30 + (Number(TEST_PARALLEL_INDEX) % 10)
      : Number(VITEST_POOL_ID) % 30
  return FIRST + slot * PORTS
}

// Of two runs at the same time, a worker of the other one probably begins elsewhere.
let given = process.pid

/**
 * A port of the loopback address on which nobody listens, for a process that starts later and again
 * and again: no connection gets it until then, and no test beside this one.
 */
export async function freePort(): Promise<number> {
  for (;;) {
    given += 1
    const port = firstPort() + (given % PORTS)
    const server = createServer().listen(port, '127.0.0.1')
    try {
      await once(server, 'listening')
    } catch (error) {
      if (error instanceof Error && 'code' in error && error.code === 'EADDRINUSE') continue
      throw error
    }
    server.close()
    await once(server, 'close')
    return port
  }
}
