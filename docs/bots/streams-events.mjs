import { bearer, SLUICE } from './sluice-token.mjs'

/** A comment comes every 15 s: after a longer silence the connection is lost. */
const SILENCE_MS = 45_000

/** What is known first, then what happens; after each end of the connection, what was missed. */
async function* streamOf(query) {
  let lastId = ''
  let rejected
  for (let pauseMs = 1_000; ; pauseMs = Math.min(2 * pauseMs, 30_000)) {
    const connection = new AbortController()
    const heard = () => setTimeout(() => connection.abort(), SILENCE_MS)
    let silence = heard()
    try {
      const authorization = await bearer(rejected)
      const response = await fetch(`${SLUICE}/api/streams/events${query}`, {
        headers: { Authorization: authorization, 'Last-Event-ID': lastId },
        signal: connection.signal,
      })
      if (response.status === 401) rejected = authorization
      // What is wrong with the request itself stays wrong.
      else if (response.status < 500 && response.status !== 429 && !response.ok) throw response
      if (!response.ok) throw new Error(await response.text())
      let rest = ''
      for await (const piece of response.body.pipeThrough(new TextDecoderStream())) {
        clearTimeout(silence)
        silence = heard()
        pauseMs = 1_000
        const lines = (rest + piece).split('\n')
        rest = lines.pop()
        for (const line of lines) {
          if (!line.startsWith('data: ')) continue
          const event = JSON.parse(line.slice(6))
          yield event
          // It has been dealt with: the next connection begins after it.
          lastId = event.id
        }
      }
    } catch (error) {
      if (error instanceof Response) throw new Error(await error.text())
    } finally {
      clearTimeout(silence)
    }
    await new Promise((resolve) => setTimeout(resolve, pauseMs))
  }
}

/** Fills may come again after a connection that was cut. */
const fills = new Set()
const live = new Map()
for await (const { type, exchange, market, data } of streamOf('?type=order,fill')) {
  if (type === 'state') {
    // While a market is not live, something may be missing: place nothing that depends on it.
    live.set(`${exchange} ${market}`, data.state === 'live')
    console.log(exchange, market, data.state, data.reason ?? '')
  }
  if (type === 'reset') console.log('forget what you knew:', data.why)
  if (type === 'snapshotEnd') console.log('that was known; from here on it happens')
  if (type === 'order') console.log(data.symbol, data.orderId, data.status, data.filledQuantity)
  if (type === 'fill') {
    const name = `${exchange} ${market} ${data.symbol} ${data.fillId}`
    if (data.fillId === null || !fills.has(name)) console.log(data.symbol, 'filled', data.quantity)
    fills.add(name)
  }
}
