import type { ChildProcess } from 'node:child_process'
import { endChild, forkOn, messageOf, onCore } from '../child.ts'
import { CONNECTIONS_MAX } from '../load/load.ts'
import { findNginx, startNginx } from './nginx.ts'
import { exchangeRequests, type Requests, sluiceRequests } from './requests.ts'
import { type BenchClient, type Sluice, startSluice } from './sluice.ts'

/** What Sluice is compared with, and the exchange without anything before it. */
export const DIRECT = 'direct'
export const HTTP_PROXY = 'http-proxy'
const REPLY_FROM = 'reply-from'
const NGINX = 'nginx'
export const SLUICE = 'Sluice'

/** One way to the exchange. */
export interface Target {
  readonly name: string
  readonly origin: string
  readonly requests: Requests
  /** Of the process whose CPU time counts; the exchange's does not. */
  readonly pid?: number | undefined
}

export interface World {
  readonly upstream: string
  readonly sluice: Sluice
  readonly clients: readonly BenchClient[]
  readonly targets: readonly Target[]
  stop(): Promise<void>
}

/** Starts the exchange, Sluice and its peers, each a process of its own. */
export async function startWorld(): Promise<World> {
  const stops: (() => Promise<void>)[] = []
  const stop = async () => {
    for (const one of stops.toReversed()) await one()
  }
  const started = async (child: ChildProcess) => {
    stops.push(() => endChild(child))
    const { address } = await messageOf<{ address: { port: number } }>(child)
    return `http://127.0.0.1:${address.port}`
  }
  try {
    const upstream = await started(forkOn('around', 'stub-exchange.ts'))
    const requests = exchangeRequests()
    const targets: Target[] = [{ name: DIRECT, origin: upstream, requests }]
    const nginx = findNginx()
    if (nginx !== undefined) {
      const host = new URL(upstream).host
      const through = onCore('measured')
      const proxy = await startNginx(nginx, { upstream: host, keepAlive: CONNECTIONS_MAX, through })
      stops.push(proxy.stop)
      targets.push({ name: NGINX, origin: proxy.url, requests, pid: proxy.pid })
    }
    for (const name of [REPLY_FROM, HTTP_PROXY]) {
      const args = [`--proxy=${name}`, `--upstream=${upstream}`]
      const child = forkOn('measured', 'proxies/node-proxy.ts', args)
      targets.push({ name, origin: await started(child), requests, pid: child.pid })
    }
    const sluice = await startSluice({ upstream })
    stops.push(sluice.stop)
    const clients = await sluice.createClients()
    const { origin, pid } = sluice
    targets.push({ name: SLUICE, origin, requests: sluiceRequests(clients), pid })
    return { upstream, sluice, clients, targets, stop }
  } catch (error) {
    await stop()
    throw error
  }
}
