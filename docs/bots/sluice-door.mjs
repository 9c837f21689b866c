// For an SDK in any language that cannot send your headers: a local proxy that adds the token.
// The SDK's base URL is then http://127.0.0.1:8090/mx or …/bg. Anyone who reaches this port trades as this bot.
// Run it as a separate process: an SDK that blocks while it waits would wait for itself.
import { createServer } from 'node:http'
import { SLUICE, sluiceFetch } from './sluice-token.mjs'

// Headers of one connection (RFC 9110, 7.6.1) and credentials of the bot stay here; all others pass.
const KEPT = new Set(
  'connection keep-alive proxy-authenticate proxy-authorization proxy-connection te trailer transfer-encoding upgrade \
expect host content-length authorization apikey request-time signature x-mexc-apikey \
access-key access-sign access-timestamp access-passphrase'.split(/\s+/),
)
// fetch has decompressed the body.
const KEPT_OF_RESPONSES = new Set([...KEPT, 'content-encoding'])

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
  const upstream = await sluiceFetch(SLUICE + request.url, {
    method: request.method,
    headers: passing(request.headers, KEPT),
    body: parts.length > 0 ? Buffer.concat(parts) : undefined,
    signal,
  })
  const bytes = Buffer.from(await upstream.arrayBuffer())
  const headers = passing(Object.fromEntries(upstream.headers), KEPT_OF_RESPONSES)
  response.writeHead(upstream.status, headers)
  response.end(bytes)
}

const door = createServer((request, response) => {
  // When the bot disconnects, the gateway drops its request unless it was sent.
  const gone = new AbortController()
  response.once('close', () => gone.abort())
  pass(request, response, gone.signal).catch((error) => {
    if (!gone.signal.aborted) console.error(error)
    // Without a token nothing was sent, and the bot gets the reason. After any other error the outcome is unknown.
    if (error.body) response.writeHead(error.status, JSON_TYPE).end(JSON.stringify(error.body))
    else response.destroy()
  })
})
door.listen(process.env.PORT ?? 8090, '127.0.0.1', () => {
  console.log(`http://127.0.0.1:${door.address().port}`)
})
