// For an SDK that cannot send a header of its own, in whatever language: a door on this machine that adds the token.
// The SDK's base URL is then http://127.0.0.1:8090/mx or …/bg. Whoever reaches this port trades as this bot.
// It is a program of its own: an SDK that waits without letting anything else run would wait for itself.
import { createServer } from 'node:http'
import { SLUICE, sluiceFetch } from './sluice-token.mjs'

// Of one connection alone (RFC 9110, 7.6.1), or of the bot alone: all else passes.
const KEPT = new Set(
  'connection keep-alive proxy-authenticate proxy-authorization proxy-connection te trailer transfer-encoding upgrade \
expect host content-length authorization apikey request-time signature x-mexc-apikey \
access-key access-sign access-timestamp access-passphrase'.split(/\s+/),
)
// fetch has unpacked the answer.
const KEPT_OF_ANSWERS = new Set([...KEPT, 'content-encoding'])

const JSON_TYPE = { 'Content-Type': 'application/json' }

function passing(headers, kept) {
  const { connection = '' } = headers
  const hops = connection.toLowerCase().split(/[\s,]+/)
  return Object.fromEntries(
    Object.entries(headers).filter(([name]) => !kept.has(name) && !hops.includes(name)),
  )
}

async function pass(request, response, signal) {
  const parts = []
  for await (const part of request) parts.push(part)
  const answer = await sluiceFetch(SLUICE + request.url, {
    method: request.method,
    headers: passing(request.headers, KEPT),
    body: parts.length > 0 ? Buffer.concat(parts) : undefined,
    signal,
  })
  const bytes = Buffer.from(await answer.arrayBuffer())
  response.writeHead(answer.status, passing(Object.fromEntries(answer.headers), KEPT_OF_ANSWERS))
  response.end(bytes)
}

const door = createServer((request, response) => {
  // A bot that hangs up calls off what was not sent.
  const gone = new AbortController()
  response.once('close', () => gone.abort())
  pass(request, response, gone.signal).catch((error) => {
    if (!gone.signal.aborted) console.error(error)
    // No token, nothing sent: the bot is told why. In all other cases what became of its request is in doubt.
    if (error.body) response.writeHead(error.status, JSON_TYPE).end(JSON.stringify(error.body))
    else response.destroy()
  })
})
door.listen(process.env.PORT ?? 8090, '127.0.0.1', () => {
  console.log(`http://127.0.0.1:${door.address().port}`)
})
