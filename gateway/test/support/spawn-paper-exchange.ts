import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import { COMPILE_CACHE } from './compile-cache.ts'

export interface SpawnedPaper {
  readonly url: string
  /** When each request reached the paper exchange's socket, in ms of its own monotonic clock. */
  arrivalsMs(): Promise<number[]>
  stop(): Promise<void>
}

/**
 * A paper exchange in a process of its own, so that what stalls the caller does not stall its
 * clock.
 */
export async function spawnPaper(): Promise<SpawnedPaper> {
  const main = fileURLToPath(new URL('../../paper-exchange/src/main.ts', import.meta.url))
  const child = spawn(process.execPath, [main], {
    env: { ...COMPILE_CACHE, PORT: '0', HOST: '127.0.0.1' },
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  const url = await new Promise<string>((resolve, reject) => {
    createInterface({ input: child.stdout }).on('line', (line) => {
      const [found] = line.match(/http:\/\/[\d.:]+/) ?? []
      if (found !== undefined) resolve(found)
    })
    child.once('exit', (code) => reject(new Error(`The paper exchange ended with ${code}`)))
  })
  return {
    url,
    async arrivalsMs() {
      const response = await fetch(`${url}/paper/received`)
      const received = (await response.json()) as { arrivedAtMonotonicMs: number }[]
      return received.map(({ arrivedAtMonotonicMs }) => arrivedAtMonotonicMs)
    },
    async stop() {
      const ended = once(child, 'exit')
      child.kill()
      await ended
    },
  }
}
