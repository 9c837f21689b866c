import type { Socket } from 'node:net'
import { buildConnector } from 'undici'

export interface WarmConnector {
  /**
   * undici's connector: returns a connection that was opened in advance if one is alive, otherwise
   * opens one.
   */
  readonly connect: buildConnector.connector
  /** Opens a connection in advance. Rejects when the exchange cannot be reached. */
  open(): Promise<void>
  /** How many connections are open, unused or in use, or are being opened. */
  connections(): number
  close(): void
}

/**
 * Opens connections before they are needed: an order that finds one saves the two or three round
 * trips of TCP and TLS.
 * @param keptMs how long an unused connection is kept; shorter than the exchange keeps it, so that
 * the exchange does not close it at the moment it is used
 */
export function createWarmConnector(
  origin: URL,
  { connectTimeoutMs, keptMs }: { connectTimeoutMs: number; keptMs: number },
): WarmConnector {
  // HTTP/1.1 only: with one request per connection, a broken connection identifies the one request
  // that it affects.
  const connectTo = buildConnector({ timeout: connectTimeoutMs, allowH2: false })
  // Each with a function that removes it from the map.
  const spare = new Map<Socket, () => void>()
  const target = {
    hostname: origin.hostname.replace(/^\[|\]$/g, ''),
    host: origin.host,
    protocol: origin.protocol,
    port: origin.port,
  }
  let open = 0
  let opening = 0
  let isClosed = false

  const dial: buildConnector.connector = (options, callback) =>
    connectTo(options, (...result) => {
      const [error, socket] = result
      if (error === null) {
        open += 1
        socket.once('close', () => {
          open -= 1
        })
      }
      callback(...result)
    })

  const keep = (socket: Socket) => {
    const timer = setTimeout(() => socket.destroy(), keptMs).unref()
    const drop = () => {
      clearTimeout(timer)
      socket.off('end', drop).off('close', drop)
      spare.delete(socket)
    }
    socket.once('end', drop).once('close', drop)
    spare.set(socket, drop)
  }

  const take = (): Socket | undefined => {
    for (const [socket, drop] of spare) {
      drop()
      // A server that sends data before a request is broken; no order is sent to it.
      if (!socket.destroyed && socket.readableLength === 0) return socket
      socket.destroy()
    }
    return undefined
  }

  return {
    connect(options, callback) {
      const socket = take()
      if (socket === undefined) return dial(options, callback)
      // undici does not expect the callback before `connect` has returned.
      queueMicrotask(() => callback(null, socket))
    },
    open() {
      opening += 1
      return new Promise((resolve, reject) => {
        dial(target, (error, socket) => {
          opening -= 1
          if (error !== null) return reject(error)
          if (isClosed) socket.destroy()
          else keep(socket)
          resolve()
        })
      })
    },
    connections: () => open + opening,
    close() {
      isClosed = true
      for (const socket of spare.keys()) socket.destroy()
    },
  }
}
