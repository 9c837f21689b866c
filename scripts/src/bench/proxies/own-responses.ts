import { getToken, mxOrderStatus } from 'schema'
import type { RequestTemplate } from '../load/load.ts'
import type { World } from './targets.ts'

/** A response that Sluice gives without the exchange. */
export interface OwnResponse {
  readonly name: 'token' | '401' | '401 forged' | '429'
  readonly origin: string
  readonly request: RequestTemplate
  readonly status: number
  /** Brings about what the response is for; called before each run. */
  readonly prepare?: () => Promise<void>
}

/** One more than the wrong secrets that a client may send in a minute. */
const WRONG_SECRETS = 11

export function ownResponses({ sluice, clients }: World): OwnResponse[] {
  const [{ clientId, clientSecret, token } = { clientId: '', clientSecret: '', token: '' }] =
    clients
  const read = (authorization: string): RequestTemplate => ({
    method: 'GET',
    path: `${mxOrderStatus.path}?symbol=BTCUSDT&clientOrderId={n}`,
    headers: { authorization },
  })
  const ask = (secret: string): RequestTemplate => ({
    method: 'POST',
    path: getToken.path,
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ clientId, clientSecret: secret }),
  })
  const { origin } = sluice
  const wrong = ask(`${clientSecret.slice(0, -8)}{n}`)
  return [
    { name: 'token', origin, status: 200, request: ask(clientSecret) },
    { name: '401', origin, status: 401, request: read('Bearer {n}') },
    { name: '401 forged', origin, status: 401, request: read(`Bearer ${forged(token)}`) },
    {
      ...{ name: '429', origin, status: 429, request: wrong },
      async prepare() {
        const { path, ...init } = wrong
        for (let sent = 0; sent < WRONG_SECRETS; sent += 1) await fetch(`${origin}${path}`, init)
      },
    },
  ]
}

/** A token of the right form whose signature was made by nobody, another one each time. */
function forged(token: string): string {
  const [header, claims] = token.split('.')
  return `${header}.${claims}.{signature}`
}
