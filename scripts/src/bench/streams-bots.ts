import { once } from 'node:events'
import { setTimeout as passing } from 'node:timers/promises'
import { streamEvents, streamSocket } from 'schema'
import { Agent, request, WebSocket } from 'undici'

// The bots of the streams' benchmark, with a stream each.

export interface Open {
  readonly do: 'open'
  readonly origin: string
  readonly kind: StreamKind
  /** One stream for each. */
  readonly tokens: readonly string[]
  readonly query: string
}
export type StreamKind = 'sse' | 'ws'
interface Take {
  readonly do: 'take'
}
interface Close {
  readonly do: 'close'
}

/** What the bots heard since they were asked before. */
export interface Heard {
  /** Of all streams together. */
  readonly events: number
  /** When the first bot of a kind heard of each fill, by its id; on the clock of all processes. */
  readonly fills: readonly (readonly [kind: StreamKind, id: string, atMs: number])[]
}

/** A stream that is not open by then is a failure. */
const OPEN_MS_MAX = 60_000

const nowMs = () => Number(process.hrtime.bigint()) / 1e6

let events = 0
let fills: [StreamKind, string, number][] = []
/** Each resolves when the gateway has closed its side: it counts a client's streams. */
const closers: (() => Promise<unknown>)[] = []

process.on('disconnect', () => process.exit(0))
process.on('message', async (asked: Open | Take | Close) => {
  if (asked.do === 'open') process.send?.(await open(asked))
  if (asked.do === 'take') {
    process.send?.({ events, fills } satisfies Heard)
    events = 0
    fills = []
  }
  if (asked.do === 'close') {
    await Promise.all(closers.splice(0).map((close) => close()))
    process.send?.('closed')
  }
})

/** Opens some at a time, and waits until each knows its account. */
async function open({ origin, kind, tokens, query }: Open): Promise<number> {
  const failing = passing(OPEN_MS_MAX).then(() => {
    throw new Error(`${tokens.length} streams were not open after ${OPEN_MS_MAX} ms`)
  })
  for (let from = 0; from < tokens.length; from += 50) {
    const some = tokens.slice(from, from + 50).map((token, index) => {
      const headers = { authorization: `Bearer ${token}` }
      const ready = Promise.withResolvers<void>()
      const reader = readerOf(from + index === 0 ? kind : undefined, ready.resolve)
      const opening = kind === 'sse' ? openEvents : openSocket
      opening(origin, query, headers, reader).catch(ready.reject)
      return ready.promise
    })
    await Promise.race([Promise.all(some), failing])
  }
  failing.catch(() => {})
  return tokens.length
}

type Reader = (text: string) => void

/** Only the first one reads what the events say: the others are there for the gateway's work. */
function readerOf(kind: StreamKind | undefined, known: () => void): Reader {
  let isKnown = false
  return (text) => {
    const atMs = kind === undefined ? 0 : nowMs()
    if (!isKnown && text.includes('"type":"snapshotEnd"')) {
      isKnown = true
      return known()
    }
    for (let at = text.indexOf('{"id":"'); at !== -1; at = text.indexOf('{"id":"', at + 1)) {
      events += 1
      if (kind === undefined) continue
      const id = /^[^\n]*"fillId":"(\w+)"/.exec(text.slice(at))?.[1]
      if (id !== undefined) fills.push([kind, id, atMs])
    }
  }
}

const agent = new Agent({ connections: null, headersTimeout: 0, bodyTimeout: 0, pipelining: 1 })

async function openEvents(
  origin: string,
  query: string,
  headers: Record<string, string>,
  read: Reader,
): Promise<void> {
  const url = `${origin}${streamEvents.path}${query}`
  const { statusCode, body } = await request(url, { headers, dispatcher: agent })
  if (statusCode !== 200) throw new Error(`${statusCode}: ${await body.text()}`)
  closers.push(() => {
    // It also fails: it was ended in the middle.
    const closed = new Promise((resolve) => body.once('close', resolve))
    body.destroy()
    return closed
  })
  body.on('error', () => {})
  // An event that comes in two parts is read when its second part is there.
  let rest = ''
  body.on('data', (chunk: Buffer) => {
    const text = rest + chunk.toString()
    const end = text.lastIndexOf('\n') + 1
    rest = text.slice(end)
    read(text.slice(0, end))
  })
}

async function openSocket(
  origin: string,
  query: string,
  headers: Record<string, string>,
  read: Reader,
): Promise<void> {
  const url = `${origin.replace('http', 'ws')}${streamSocket.path}${query}`
  const socket = new WebSocket(url, { headers })
  closers.push(() => {
    const closed = once(socket, 'close')
    socket.close()
    return closed
  })
  socket.addEventListener('message', ({ data }) => read(data))
  await new Promise((resolve, reject) => {
    socket.addEventListener('open', resolve)
    socket.addEventListener('error', ({ error }) => reject(error))
  })
}
