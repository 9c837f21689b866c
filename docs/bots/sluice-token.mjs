export const SLUICE = process.env.SLUICE_URL ?? 'https://sluice.example'
const { SLUICE_CLIENT_ID: clientId, SLUICE_CLIENT_SECRET: clientSecret } = process.env

let token = ''
let endsAtMs = 0
let renewal

/**
 * The Authorization header, with a token that is valid for at least another minute.
 * @param rejected a header that the gateway rejected with 401: its token is replaced
 */
export async function bearer(rejected) {
  if (endsAtMs - Date.now() < 60_000 || rejected === `Bearer ${token}`) {
    // Calls that begin at the same time share one new token.
    renewal ??= renew().finally(() => {
      renewal = undefined
    })
    await renewal
  }
  return `Bearer ${token}`
}

let isKept = false

/** The headers of a WebSocket: each dial takes the token of that moment. Await bearer() before the first. */
export const socketHeaders = {
  get Authorization() {
    // One that fails is tried again in 30 s; a dial with an old token is refused with the reason.
    if (!isKept) setInterval(() => bearer().catch(() => {}), 30_000).unref()
    isKept = true
    return `Bearer ${token}`
  },
}

async function renew() {
  const response = await fetch(`${SLUICE}/auth/token`, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json' },
    body: JSON.stringify({ clientId, clientSecret }),
  })
  const body = await response.json()
  if (!response.ok) {
    throw withSluice(new Error(`${body.code}: ${body.message}`), body)
  }
  token = body.token
  endsAtMs = Date.now() + body.expiresInSeconds * 1000
}

/** fetch with the token. On 401 it tries once more with a new token. */
export async function sluiceFetch(url, options = {}) {
  const send = (Authorization) =>
    fetch(url, { ...options, headers: { ...options.headers, Authorization } })
  const first = await bearer()
  const response = await send(first)
  return response.status === 401 ? send(await bearer(first)) : response
}

/** The error with what Sluice says of it: `retryable` and `outcome` decide what to do. */
export function withSluice(error, sluice) {
  const { outcome, retryable } = sluice
  return Object.assign(error, { sluice, outcome, retryable })
}
