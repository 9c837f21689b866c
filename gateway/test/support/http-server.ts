import { once } from 'node:events'
import { createServer, type IncomingMessage, type RequestListener } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { Duplex } from 'node:stream'
import { onTestFinished } from 'vitest'

type UpgradeListener = (request: IncomingMessage, socket: Duplex, head: Buffer) => void

/** Listens until the test has finished. @returns its origin */
export async function httpServer(
  respond: RequestListener,
  onUpgrade?: UpgradeListener,
): Promise<string> {
  const server = createServer(respond).listen(0, '127.0.0.1')
  if (onUpgrade !== undefined) server.on('upgrade', onUpgrade)
  await once(server, 'listening')
  onTestFinished(() => {
    server.closeAllConnections()
    server.close()
  })
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`
}
