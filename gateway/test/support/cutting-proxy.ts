import { once } from 'node:events'
import { connect, createServer, type Socket } from 'node:net'
import { freePort } from './free-port.ts'

export interface CuttingProxy {
  readonly port: number
  /** How many connections were opened. */
  readonly opened: () => number
  /** How many pieces of data were not passed on. */
  readonly swallowed: () => number
  /**
   * `pass` passes all bytes on. `cut-responses` closes a connection at the first byte back, which
   * arrived at the target before. `swallow` passes nothing on any more, and closes nothing.
   */
  mode: 'pass' | 'cut-responses' | 'swallow'
  /** Closes all connections and refuses new ones. */
  refuse(): Promise<void>
  /** Accepts connections again after `refuse`. */
  accept(): Promise<void>
}

/** A TCP proxy that breaks connections at a chosen moment. */
export async function startCuttingProxy(targetPort: number): Promise<CuttingProxy> {
  const sockets = new Set<Socket>()
  let opened = 0
  let swallowed = 0
  const server = createServer({ noDelay: true }, (near) => {
    opened += 1
    const far = connect({ host: '127.0.0.1', port: targetPort, noDelay: true })
    for (const socket of [near, far]) {
      sockets.add(socket)
      socket.once('close', () => sockets.delete(socket))
      // 'close' follows each error and ends the other side.
      socket.on('error', () => {})
    }
    near.on('data', (chunk) => {
      if (proxy.mode === 'swallow') swallowed += 1
      else far.write(chunk)
    })
    far.on('data', (chunk) => {
      if (proxy.mode === 'cut-responses') near.destroy()
      else if (proxy.mode === 'pass') near.write(chunk)
    })
    near.on('close', () => far.destroy())
    far.on('close', () => proxy.mode !== 'swallow' && near.destroy())
  })
  // While it refuses, no other program gets its port.
  const port = await freePort()
  server.listen(port, '127.0.0.1')
  await once(server, 'listening')
  const proxy: CuttingProxy = {
    port,
    opened: () => opened,
    swallowed: () => swallowed,
    mode: 'pass',
    async refuse() {
      if (!server.listening) return
      const isClosed = once(server, 'close')
      server.close()
      for (const socket of sockets) socket.destroy()
      await isClosed
    },
    async accept() {
      server.listen(port, '127.0.0.1')
      await once(server, 'listening')
    },
  }
  return proxy
}
