import { once } from 'node:events'
import { createServer } from 'node:net'

/** Systems give ports above these to connections and to listeners that ask for any port. */
const FIRST = 12_000
const LAST = 32_000

/**
 * A port of the loopback address on which nobody listens, for a process that starts later and again
 * and again: no connection gets it meanwhile.
 */
export async function freePort(): Promise<number> {
  for (;;) {
    const port = FIRST + Math.floor(Math.random() * (LAST - FIRST))
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
