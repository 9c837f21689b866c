export const SLUICE = process.env.SLUICE_URL ?? 'https://sluice.example'
const { SLUICE_CLIENT_ID: clientId, SLUICE_CLIENT_SECRET: clientSecret } = process.env

let token = ''
let endsAtMs = 0

/**
 * The Authorization header, with a token that is good for at least a minute more.
 * @param refused one that the gateway answered with 401: another one is got
 */
export async function bearer(refused) {
  if (endsAtMs - Date.now() < 60_000 || refused === `Bearer ${token}`) {
    const answer = await fetch(`${SLUICE}/auth/token`, {
      method: 'POST',
      headers: { 'Content-Type': 'application/json' },
      body: JSON.stringify({ clientId, clientSecret }),
    })
    const body = await answer.json()
    if (!answer.ok) {
      const error = new Error(`${body.code}: ${body.message}`)
      throw Object.assign(error, { status: answer.status, body })
    }
    token = body.token
    endsAtMs = Date.now() + body.expiresInSeconds * 1000
  }
  return `Bearer ${token}`
}

/** fetch with the token. When it is refused before its time: once more with a new one, all else the same. */
export async function sluiceFetch(url, options = {}) {
  const send = (Authorization) =>
    fetch(url, { ...options, headers: { ...options.headers, Authorization } })
  const first = await bearer()
  const answer = await send(first)
  return answer.status === 401 ? send(await bearer(first)) : answer
}
