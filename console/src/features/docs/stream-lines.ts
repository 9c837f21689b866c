/** What a stream of events says (HTML, 9.2.5 and 9.2.6). */
export type StreamLine =
  | { readonly kind: 'event'; readonly id: string; readonly json: string }
  /** How the gateway ends a stream: a close code and a sentence. */
  | { readonly kind: 'end'; readonly code: number; readonly reason: string }

const END = /^:\s*(\d{4})\s+(.*)$/

/**
 * Reads a stream of events piece by piece, wherever it is cut. Comments that only keep a connection
 * open are left out, and so is an event whose end has not come.
 */
export class StreamLines {
  #rest = ''
  #id = ''
  #data: string[] = []

  read(piece: string): StreamLine[] {
    const lines = `${this.#rest}${piece}`.split('\n')
    this.#rest = lines.pop() ?? ''
    return lines.flatMap((line) => this.#line(line.replace(/\r$/, '')) ?? [])
  }

  #line(line: string): StreamLine | undefined {
    const [, code, reason = ''] = END.exec(line) ?? []
    if (code !== undefined) return { kind: 'end', code: Number(code), reason }
    if (line === '') return this.#event()
    const [, name, value = ''] = /^(\w+): ?(.*)$/.exec(line) ?? []
    if (name === 'id') this.#id = value
    if (name === 'data') this.#data.push(value)
    return undefined
  }

  #event(): StreamLine | undefined {
    const json = this.#data.splice(0).join('\n')
    return json === '' ? undefined : { kind: 'event', id: this.#id, json }
  }
}

/** An event as a list shows it. */
export interface StreamRow {
  /** Rises with each event of this page. */
  readonly key: number
  readonly id: string
  readonly type: string
  /** The exchange and the market; empty for what is of neither. */
  readonly exchange: string
  readonly market: string
  /** When the gateway had it. */
  readonly atMs: number
  /** Of the exchange, of a read after a gap, or of the journal. */
  readonly source: string
  readonly summary: string
  readonly json: string
}

type Fields = Readonly<Record<string, unknown>>

/** @param key of the row */
export function rowOf(id: string, json: string, key: number): StreamRow {
  const { type, exchange, market, receivedAt, source, data } = fieldsIn(json)
  const name = textOf(type)
  return {
    ...{ key, id, json, type: name, exchange: textOf(exchange), market: textOf(market) },
    atMs: typeof receivedAt === 'number' ? receivedAt : Date.now(),
    source: textOf(source),
    summary: summaryOf(name, typeof data === 'object' && data !== null ? { ...data } : {}),
  }
}

function fieldsIn(json: string): Fields {
  try {
    const value: unknown = JSON.parse(json)
    return typeof value === 'object' && value !== null ? { ...value } : {}
  } catch {
    return {} // Shown as it came.
  }
}

const textOf = (value: unknown): string =>
  typeof value === 'string' || typeof value === 'number' ? String(value) : ''

/** What distinguishes an event from others of its type, in its own words. */
const SUMMARIES: Readonly<Record<string, (data: Fields) => readonly unknown[]>> = {
  order: (data) => [
    ...[data.symbol, data.side, data.orderType],
    ...[isZero(data.filledQuantity) ? '' : `${textOf(data.filledQuantity)} /`, data.quantity],
    ...[data.price === null ? undefined : `@ ${textOf(data.price)}`, data.status],
  ],
  fill: (data) => [
    ...[data.symbol, data.side, data.quantity],
    ...[data.price === null ? undefined : `@ ${textOf(data.price)}`, data.liquidity],
  ],
  position: (data) => [data.symbol, data.side, data.quantity ?? data.contracts],
  balance: (data) => [data.asset, data.available, isZero(data.locked) ? '' : `+ ${data.locked}`],
  state: (data) => [data.state, data.reason],
  reset: (data) => [data.why],
}

const isZero = (value: unknown) => value === null || Number(value ?? 0) === 0

function summaryOf(type: string, data: Fields): string {
  const parts = SUMMARIES[type]?.(data) ?? []
  return parts
    .map(textOf)
    .filter((text) => text !== '')
    .join(' ')
}
