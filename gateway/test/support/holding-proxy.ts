import { once } from 'node:events'
import { type AddressInfo, connect, createServer, type Socket } from 'node:net'

export interface HoldingProxy {
  readonly port: number
  /** From now on no byte arrives and no connection ends or opens: nobody notices anything. */
  cut(): void
  /**
   * Ends the cut.
   * @param delivers whether what was sent meanwhile arrives late, as after a short cut; otherwise
   * the connections break
   */
  heal(delivers: boolean): void
  close(): Promise<void>
}

/** A network in front of a port of this machine, which can be cut without a word. */
export async function startHoldingProxy(targetPort: () => number): Promise<HoldingProxy> {
  const open = new Set<Socket>()
  const waiting: (() => void)[] = []
  let isCut = false
  const server = createServer({ noDelay: true, pauseOnConnect: true }, (near) => {
    if (isCut) waiting.push(() => join(near))
    else join(near)
  })

  function join(near: Socket): void {
    const far = connect({ host: '127.0.0.1', port: targetPort(), noDelay: true })
    const end = () => {
      for (const socket of [near, far]) socket.destroy()
    }
    for (const [from, to] of [
      [near, far],
      [far, near],
    ] as const) {
      open.add(from)
      from.on('data', (bytes) => to.write(bytes))
      // A paused socket reports its end once it is read again.
      from.on('end', () => to.end())
      from.on('error', () => isCut || end())
      from.on('close', () => {
        open.delete(from)
        if (isCut) waiting.push(end)
        else end()
      })
    }
    if (isCut) far.pause()
    else near.resume()
  }

  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  return {
    port: (server.address() as AddressInfo).port,
    cut() {
      isCut = true
      for (const socket of open) socket.pause()
    },
    heal(delivers) {
      isCut = false
      for (const socket of open)
        if (delivers) socket.resume()
        else socket.destroy()
      for (const go of waiting.splice(0)) go()
    },
    async close() {
      isCut = false
      for (const socket of open) socket.destroy()
      server.close()
      await once(server, 'close')
    },
  }
}
