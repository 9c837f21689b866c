import type { Server } from 'node:http'
import type { Socket } from 'node:net'
import { normalizeIP } from '@fastify/rate-limit'
import { isInNetworks, namedNetworks } from './networks.ts'

export interface ConnectionLimits {
  /** Open connections in all; 0: no limit. */
  readonly inAll: number
  /** Open connections of one address, or of one /64 network of IPv6; 0: no limit. */
  readonly perAddress: number
}

/** How many connections are open, and how many were closed at once because of a limit. */
export interface ConnectionCounts {
  open: number
  readonly refused: Record<'all' | 'address', number>
}

/**
 * Closes a connection at once that is one too many, before anything of it is read. A trusted proxy
 * has no limit of its own: it has the connections of all its callers.
 * @param trustProxy as the setting TRUST_PROXY has them
 */
export function limitConnections(
  server: Server,
  { inAll, perAddress }: ConnectionLimits,
  trustProxy: readonly string[],
): ConnectionCounts {
  const counts: ConnectionCounts = { open: 0, refused: { all: 0, address: 0 } }
  const byAddress = new Map<string, number>()
  const proxies = namedNetworks(trustProxy)

  // Ahead of the server's own listener, so that it gets a socket from which nothing is read.
  server.prependListener('connection', (socket: Socket) => {
    const reason = refusalOf(socket)
    if (reason === undefined) return
    counts.refused[reason] += 1
    socket.destroy()
  })

  function refusalOf(socket: Socket): keyof ConnectionCounts['refused'] | undefined {
    if (inAll > 0 && counts.open >= inAll) return 'all'
    const remote = socket.remoteAddress ?? ''
    const address = isInNetworks(remote, proxies) ? undefined : normalizeIP(remote)
    const own = address === undefined ? 0 : (byAddress.get(address) ?? 0)
    if (perAddress > 0 && own >= perAddress) return 'address'
    counts.open += 1
    if (address !== undefined) byAddress.set(address, own + 1)
    socket.once('close', () => {
      counts.open -= 1
      if (address !== undefined) release(address)
    })
    return undefined
  }

  function release(address: string): void {
    const left = (byAddress.get(address) ?? 1) - 1
    if (left === 0) byAddress.delete(address)
    else byAddress.set(address, left)
  }

  return counts
}
