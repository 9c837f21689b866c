#!/usr/bin/env node
// For an SDK in any language that cannot send your headers: a local proxy that adds the token.
// The SDK's base URL is then http://127.0.0.1:8090/mx or …/bg. Anyone who reaches this port trades as this bot.
// Run it as a separate process: an SDK that blocks while it waits would wait for itself.
import { createHash } from 'node:crypto'
import { realpathSync } from 'node:fs'
import { createServer } from 'node:http'
import { fileURLToPath } from 'node:url'
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

// Calls that place new orders. Changes and cancels carry the id of an order too: they get no key.
const PLACES =
  /\/(?:order|batchOrders|order\/create|order\/submit_batch|place-[\w-]+|batch-orders|batch-place-order)$/
const IDS = new Set(['newClientOrderId', 'externalOid', 'clientOid'])

/** A key of the bot's own order ids: each attempt at the same order has the same one. */
function keyOf(method, url, body) {
  const { pathname, searchParams } = new URL(url, SLUICE)
  if (method !== 'POST' || !PLACES.test(pathname)) return {}
  const ids = []
  const collect = (name, value) => {
    if (IDS.has(name) && value) ids.push(value)
    return value
  }
  for (const [name, value] of [...searchParams, ...new URLSearchParams(body)]) {
    collect(name, value)
    if (name === 'batchOrders') readJson(value, collect)
  }
  readJson(body, collect)
  if (ids.length === 0) return {}
  const digest = createHash('sha256').update(JSON.stringify([pathname, ids]))
  return { 'idempotency-key': `door-${digest.digest('hex')}` }
}

function readJson(text, collect) {
  try {
    JSON.parse(text, collect)
  } catch {
    // A form, or nothing: it has no ids in JSON.
  }
}

async function pass(request, response, signal) {
  const parts = []
  for await (const part of request) parts.push(part)
  const { method, url } = request
  const body = parts.length > 0 ? Buffer.concat(parts) : undefined
  const upstream = await sluiceFetch(SLUICE + url, {
    method,
    // What the bot itself sends counts.
    headers: { ...keyOf(method, url, `${body ?? ''}`), ...passing(request.headers, KEPT) },
    body,
    signal,
  })
  const bytes = Buffer.from(await upstream.arrayBuffer())
  const headers = passing(Object.fromEntries(upstream.headers), KEPT_OF_RESPONSES)
  response.writeHead(upstream.status, headers)
  response.end(bytes)
}

/** Listens on 127.0.0.1 alone. The port 0 is a free one; the server's address() names it. */
export function startDoor(port = 8090) {
  const door = createServer((request, response) => {
    // When the bot disconnects, the gateway drops its request unless it was sent.
    const gone = new AbortController()
    response.once('close', () => gone.abort())
    pass(request, response, gone.signal).catch((error) => {
      if (!gone.signal.aborted) console.error(error)
      // Without a token nothing was sent, and the bot gets the reason. After any other error the outcome is unknown.
      const { sluice } = error
      if (sluice) response.writeHead(sluice.statusCode, JSON_TYPE).end(JSON.stringify(sluice))
      else response.destroy()
    })
  })
  return door.listen(port, '127.0.0.1')
}

// Only as a program: another one may import startDoor.
const [, program] = process.argv
if (program && realpathSync(program) === fileURLToPath(import.meta.url)) {
  const door = startDoor(process.env.PORT)
  door.once('listening', () => console.log(`http://127.0.0.1:${door.address().port}`))
}
