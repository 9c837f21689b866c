import { createConnection, createServer, type Socket } from 'node:net'
import { onTestFinished } from 'vitest'

export interface DatabaseProxy {
  /** The URL of the same database through the proxy. */
  readonly url: string
  /**
   * Ends the next connection on which the client sends this, before or after the server has done
   * what it says. `late`: before, and the server gets it after `LATE_MS`.
   */
  cut(text: string, when: Cut): void
  /** Resolves once the server has done what it got late. */
  lateIsDone(): Promise<void>
}

type Cut = 'before' | 'after' | 'late'

const LATE_MS = 300

/** A network that breaks on demand, in front of a server. It goes with the test. */
export async function databaseProxy(serverUrl: string): Promise<DatabaseProxy> {
  const target = new URL(serverUrl)
  const open = new Set<Socket>()
  let next: { text: string; when: Cut } | undefined
  let late = Promise.resolve()
  const proxy = createServer((client) => {
    const server = createConnection(Number(target.port), target.hostname)
    let isLate = false
    const end = () => {
      client.destroy()
      if (!isLate) server.destroy()
    }
    for (const socket of [client, server]) {
      open.add(socket)
      socket.on('error', end).on('close', end)
    }
    let isCut = false
    client.on('data', (bytes) => {
      if (next !== undefined && bytes.includes(next.text)) {
        const { when } = next
        next = undefined
        isLate = when === 'late'
        if (isLate) {
          late = new Promise((resolve) => server.once('close', () => resolve()))
          setTimeout(() => server.end(bytes), LATE_MS)
        }
        if (when !== 'after') return end()
        isCut = true
      }
      return server.write(bytes)
    })
    server.on('data', (bytes) => (isCut ? end() : client.write(bytes)))
  })
  await new Promise<void>((resolve) => proxy.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => {
    for (const socket of open) socket.destroy()
    proxy.close()
  })
  const address = proxy.address()
  const url = new URL(serverUrl)
  url.port = `${typeof address === 'object' ? address?.port : ''}`
  return {
    url: url.href,
    cut(text, when) {
      next = { text, when }
    },
    lateIsDone: () => late,
  }
}
