import type { StreamEvent } from 'schema'
import { expect, onTestFinished } from 'vitest'
import { WebSocket } from 'ws'

type Headers = Readonly<Record<string, string>>

/** What a bot hears on a stream. */
export interface StreamReader {
  readonly events: StreamEvent[]
  /** Comments of SSE, other messages of the WebSocket. */
  readonly others: string[]
  /** How it ended: a status or a close code; undefined while it is open. */
  ended(): number | undefined
  /** Resolves with the first event that has these parts, in the order in which they came. */
  next(parts: object): Promise<StreamEvent>
  close(): void
}

function readerOf(close: () => void, state: { end?: number }): StreamReader {
  onTestFinished(close)
  const events: StreamEvent[] = []
  return {
    ...{ events, others: [], close, ended: () => state.end },
    async next(parts) {
      const isIt = (event: StreamEvent) => matches(event, parts)
      await expect
        .poll(() => events.some(isIt), { timeout: 20_000, interval: 5, message: shown(events) })
        .toBe(true)
      return events.find(isIt) as StreamEvent
    },
  }
}

const shown = (events: readonly StreamEvent[]) =>
  events.map((each) => JSON.stringify(each)).join('\n')

function matches(value: unknown, parts: unknown): boolean {
  if (typeof parts !== 'object' || parts === null) return value === parts
  return Object.entries(parts).every(([name, part]) => matches(Object(value)[name], part))
}

/** Opens `GET /api/streams/events`. @throws the response when it is no stream */
export async function readEvents(
  url: string,
  headers: Headers,
  query = '',
): Promise<StreamReader & { readonly response: Response }> {
  const abort = new AbortController()
  const response = await fetch(`${url}/api/streams/events${query}`, {
    headers,
    signal: abort.signal,
  })
  if (response.status !== 200) throw response
  const state: { end?: number } = {}
  const reader = { ...readerOf(() => abort.abort(), state), response }
  void readLines(response, reader).finally(() => {
    state.end = 200
  })
  return reader
}

async function readLines(response: Response, { events, others }: StreamReader): Promise<void> {
  let text = ''
  let id = ''
  try {
    for await (const chunk of response.body?.pipeThrough(new TextDecoderStream()) ?? []) {
      const lines = (text + chunk).split('\n')
      text = lines.pop() ?? ''
      for (const line of lines) {
        if (line.startsWith('id: ')) id = line.slice(4)
        else if (line.startsWith('data: ')) {
          const event = JSON.parse(line.slice(6))
          expect(event.id).toBe(id)
          events.push(event)
        } else if (line !== '') others.push(line)
      }
    }
  } catch {
    // The connection was cut.
  }
}

/** Opens `GET /api/streams/ws`. @throws an error that has the status */
export async function openSocket(
  url: string,
  headers: Headers,
  query = '',
  protocols: readonly string[] = [],
): Promise<StreamReader & { readonly socket: WebSocket }> {
  const address = `${url.replace('http', 'ws')}/api/streams/ws${query}`
  const socket = new WebSocket(address, [...protocols], { headers })
  const state: { end?: number } = {}
  const reader = { ...readerOf(() => socket.terminate(), state), socket }
  socket.on('message', (data: Buffer) => {
    const message = JSON.parse(data.toString())
    if (message.id === undefined) reader.others.push(data.toString())
    else reader.events.push(message)
  })
  socket.on('close', (code) => {
    state.end = code
  })
  await new Promise((resolve, reject) => socket.once('open', resolve).once('error', reject))
  return reader
}
