import { once } from 'node:events'
import { type AddressInfo, connect, createServer, type Socket } from 'node:net'

export interface DelayingProxyOptions {
  /** The origin that the bytes go to. */
  readonly target: string
  /** What the next bytes towards the target take, in ms. */
  readonly thereMs: () => number
  /** What the next bytes back take, in ms. */
  readonly backMs: () => number
}

export interface DelayingProxy {
  readonly url: string
  close(): Promise<void>
}

/**
 * A TCP proxy that behaves like a network with jitter: it passes on each piece of data after a
 * delay of its own. The bytes of a connection keep their order, so a piece may wait for the one
 * before it.
 */
export async function startDelayingProxy(options: DelayingProxyOptions): Promise<DelayingProxy> {
  const { hostname, port } = new URL(options.target)
  const sockets = new Set<Socket>()
  const server = createServer({ noDelay: true }, (near) => {
    const far = connect({ host: hostname, port: Number(port), noDelay: true })
    for (const socket of [near, far]) {
      sockets.add(socket)
      socket.once('close', () => sockets.delete(socket))
      // 'close' follows each error and ends the other side.
      socket.on('error', () => {})
    }
    passOn(near, far, options.thereMs)
    passOn(far, near, options.backMs)
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    async close() {
      for (const socket of sockets) socket.destroy()
      server.close()
      await once(server, 'close')
    },
  }
}

function passOn(from: Socket, to: Socket, delayMs: () => number): void {
  const steps: (() => void)[] = []
  let lastMs = 0
  const later = (step: () => void) => {
    const nowMs = performance.now()
    lastMs = Math.max(lastMs, nowMs + delayMs())
    steps.push(step)
    // Timers of different lengths may change places; the steps keep theirs.
    setTimeout(() => steps.shift()?.(), lastMs - nowMs)
  }
  from.on('data', (chunk) => later(() => to.write(chunk)))
  from.on('end', () => later(() => to.end()))
  from.on('close', () => later(() => to.destroy()))
}
