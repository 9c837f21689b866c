import { useEffect, useRef, useState } from 'react'
import { streamEvents } from 'schema'
import { readProblem } from '../../api/api-error.ts'
import { type CallInput, request } from '../../api/client.ts'
import { rowOf, StreamLines, type StreamRow } from './stream-lines.ts'
import * as texts from './texts.ts'

/** So many events are shown; older ones are gone from the page, and still in the stream. */
const ROWS_MAX = 200
/** Events that come at once are drawn at once. */
const DRAW_EVERY_MS = 100
const RETRY = { firstMs: 1_000, mostMs: 30_000 } as const
/** A connection that ended so is not opened again by itself: it would end again. */
const FINAL_CODES: ReadonlySet<number> = new Set([4401, 4403, 4429])

export type Connection =
  | { readonly state: 'idle' | 'connecting' }
  | { readonly state: 'open'; readonly sinceMs: number; readonly isResumed: boolean }
  /** It ended, and is opened again by itself. */
  | { readonly state: 'waiting'; readonly why: string; readonly untilMs: number }
  | { readonly state: 'ended'; readonly why: string; readonly isExpired: boolean }

interface Shown {
  /** Newest first. */
  readonly rows: readonly StreamRow[]
  /** How many came since the list was cleared. */
  readonly count: number
  readonly lastId: string
}

const NOTHING: Shown = { rows: [], count: 0, lastId: '' }

/** A stream of a client's events, as this page hears it. It ends with the page. */
export function useStream() {
  const [connection, setConnection] = useState<Connection>({ state: 'idle' })
  const [shown, setShown] = useState(NOTHING)
  const running = useRef<AbortController>(null)
  const came = useRef<{ rows: StreamRow[]; count: number; keys: number }>({
    ...{ rows: [], count: 0, keys: 0 },
  })
  useEffect(() => () => running.current?.abort(), [])

  /** Draws what has come since the last time. */
  const draw = () => {
    const { rows, count } = came.current
    if (count === 0) return
    came.current = { ...came.current, rows: [], count: 0 }
    setShown((before) => ({
      rows: [...rows.toReversed(), ...before.rows].slice(0, ROWS_MAX),
      count: before.count + count,
      lastId: rows.at(-1)?.id ?? before.lastId,
    }))
  }
  const add = (id: string, json: string) => {
    const { rows, count, keys } = came.current
    rows.push(rowOf(id, json, keys))
    if (rows.length > ROWS_MAX) rows.shift()
    came.current = { rows, count: count + 1, keys: keys + 1 }
  }

  const start = async (query: Query, token: string) => {
    running.current?.abort()
    const controller = new AbortController()
    running.current = controller
    const timer = setInterval(draw, DRAW_EVERY_MS)
    try {
      await keepOpen({ query, token, signal: controller.signal, add, setConnection })
    } finally {
      clearInterval(timer)
      draw()
    }
  }
  return {
    ...{ connection, ...shown },
    /** Opens it, and again when it is cut. Does nothing else while one is open. */
    connect: (query: Query, token: string) => void start(query, token),
    disconnect: () => {
      running.current?.abort()
      setConnection({ state: 'idle' })
    },
    clear: () => setShown(({ lastId }) => ({ ...NOTHING, lastId })),
  }
}

type Query = NonNullable<CallInput['query']>

interface Opening {
  readonly query: Query
  readonly token: string
  readonly signal: AbortSignal
  readonly add: (id: string, json: string) => void
  readonly setConnection: (connection: Connection) => void
}

/** Opens a stream, and after each end that may pass the next one, from where it was. */
async function keepOpen(opening: Opening): Promise<void> {
  const { signal, setConnection } = opening
  let query = opening.query
  for (let failures = 0; !signal.aborted; failures += 1) {
    setConnection({ state: 'connecting' })
    const isResumed = query.after !== undefined
    const end = await readOnce({
      ...{ ...opening, query },
      add: (id, json) => {
        query = { ...query, after: id }
        failures = 0
        opening.add(id, json)
      },
      onOpen: () =>
        signal.aborted || setConnection({ state: 'open', sinceMs: Date.now(), isResumed }),
    })
    if (signal.aborted) return
    if (end.isFinal)
      return setConnection({ state: 'ended', why: end.why, isExpired: end.isExpired })
    const waitMs = Math.min(RETRY.firstMs * 2 ** failures, RETRY.mostMs)
    setConnection({ state: 'waiting', why: end.why, untilMs: Date.now() + waitMs })
    await new Promise<void>((resolve) => {
      const timer = setTimeout(resolve, waitMs)
      const stop = () => {
        clearTimeout(timer)
        resolve()
      }
      signal.addEventListener('abort', stop, { once: true })
    })
  }
}

interface End {
  readonly why: string
  /** It would end again in the same way. */
  readonly isFinal: boolean
  readonly isExpired: boolean
}

async function readOnce(opening: Opening & { readonly onOpen: () => void }): Promise<End> {
  const { query, token, signal, add, onOpen } = opening
  let end: End = { why: texts.stream.cut, isFinal: false, isExpired: false }
  try {
    const response = await request(streamEvents, { query }, { token, signal })
    if (response.status !== 200) return refusalOf(response.status, await response.text())
    onOpen()
    const lines = new StreamLines()
    const decoder = new TextDecoder()
    const reader = response.body?.getReader()
    for (let piece = await reader?.read(); piece?.done === false; piece = await reader?.read())
      for (const line of lines.read(decoder.decode(piece.value, { stream: true }))) {
        if (line.kind === 'event') add(line.id, line.json)
        else end = endOf(line.code, line.reason)
      }
  } catch (error) {
    if (signal.aborted) return end
    return { ...end, why: error instanceof Error ? error.message : String(error) }
  }
  return end
}

const endOf = (code: number, reason: string): End => ({
  why: texts.stream.endedWith(code, reason),
  isFinal: FINAL_CODES.has(code),
  isExpired: code === 4401,
})

/** What was not opened: the gateway says why, and whether it may pass. */
function refusalOf(status: number, text: string): End {
  const { code, message } = readProblem(text)
  const why = texts.stream.refused(status, code ?? '', message ?? '')
  return { why, isFinal: status < 500, isExpired: code === 'TOKEN_EXPIRED' }
}
