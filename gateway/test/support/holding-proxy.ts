import { once } from 'node:events'
import { type AddressInfo, connect, createServer, type Socket } from 'node:net'

export interface HoldingProxy {
  readonly port: number
  /** From now on no byte arrives and no connection ends or opens: nobody notices anything. */
  cut(): void
  /**
   * Ends the cut.
   * @param delivers whether what was sent then arrives late, as after a short cut; otherwise
   * the connections break
   */
  heal(delivers: boolean): void
  /** How much later each piece of data arrives, in both directions. */
  delayMs: number
  /**
   * Called once, right before bytes that a client sends and that contain this text are passed on.
   * @param act returns whether they are; otherwise the connection breaks
   */
  once(text: string, act: () => boolean): void
  /** Cuts the network once, right after bytes that a client sends and that contain this text. */
  cutAfter(text: string): void
  /** Forgets what `once` and `cutAfter` wait for. */
  forget(): void
  close(): Promise<void>
}

/** A network in front of a port of this machine, which can be cut without a word. */
export async function startHoldingProxy(targetPort: () => number): Promise<HoldingProxy> {
  const open = new Set<Socket>()
  const waiting: (() => void)[] = []
  let isCut = false
  let watched: { readonly text: string; readonly act: () => boolean } | undefined
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
      const later = inOrder()
      from.on('data', (bytes) => {
        const { text, act } = watched ?? {}
        if (from === near && text !== undefined && bytes.includes(text)) {
          watched = undefined
          if (act?.() !== true) return end()
        }
        later(proxy.delayMs, () => to.write(bytes))
      })
      // A paused socket reports its end once it is read again.
      from.on('end', () => later(proxy.delayMs, () => to.end()))
      // 'close' follows each error and ends the other side, once it has what was sent before.
      from.on('error', () => {})
      from.on('close', () => {
        open.delete(from)
        if (isCut) waiting.push(end)
        else later(proxy.delayMs, end)
      })
    }
    if (isCut) far.pause()
    else near.resume()
  }

  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const proxy: HoldingProxy = {
    port: (server.address() as AddressInfo).port,
    delayMs: 0,
    once(text, act) {
      watched = { text, act }
    },
    cutAfter(text) {
      proxy.once(text, () => {
        proxy.cut()
        return true
      })
    },
    forget() {
      watched = undefined
    },
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
  return proxy
}

/** Does steps one after another, each some time after it came. */
function inOrder(): (delayMs: number, step: () => void) => void {
  let waiting = 0
  let lastMs = 0
  const steps: (() => void)[] = []
  return (delayMs, step) => {
    if (delayMs === 0 && waiting === 0) return step()
    const nowMs = performance.now()
    lastMs = Math.max(lastMs, nowMs + delayMs)
    waiting += 1
    steps.push(step)
    setTimeout(() => {
      waiting -= 1
      // Timers of different lengths may change places; the steps keep theirs.
      steps.shift()?.()
    }, lastMs - nowMs)
  }
}

/** A URL with another port, such as that of a proxy in front of it. */
export function withPort(text: string, port: number): string {
  const url = new URL(text)
  url.port = `${port}`
  return url.href
}
