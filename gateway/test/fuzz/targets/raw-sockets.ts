import assert from 'node:assert/strict'
import { type AddressInfo, connect } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import fc from 'fast-check'
import type { Target } from '../target.ts'
import { createWorld, leakIn, type World } from '../world.ts'

/** Connections at once: the server has to keep their requests apart. */
const PER_RUN = 20
const SILENT_MS = 60
const OPEN_MS_MAX = 3_000

/** A part of what a client writes. */
type Part =
  | { readonly kind: 'order'; readonly framing: string; readonly chunking: string }
  | { readonly kind: 'read'; readonly header: string }
  | { readonly kind: 'garbage'; readonly text: string }

const FRAMINGS = [
  ...['length', 'length', 'length', 'chunked', 'chunked', 'both', 'chunked-after-length'],
  ...['two-lengths', 'same-lengths', 'length-list', 'short', 'long', 'plus', 'hex', 'space'],
  ...['identity', 'chunked-identity', 'two-chunked', 'tab-chunked', 'upper-chunked', 'folded'],
  ...['vertical-tab', 'none', 'negative', 'huge'],
]
const CHUNKINGS = [
  ...['plain', 'plain', 'extension', 'quoted-extension', 'upper', 'zeros', 'bare-lf', 'no-end'],
  ...['long-size', 'negative', 'trailer', 'trailer-length', 'space', 'bad-size', 'crlf-missing'],
]
const HEADERS = [
  ...['', '', 'X-A: b', 'Connection: close', 'Connection: Content-Length', 'Expect: 100-continue'],
  ...['Upgrade: h2c', 'Content-Length : 4', ' Content-Length: 4', 'X: \u0000', 'X: a\nY: b'],
  ...[`X-Long: ${'x'.repeat(20_000)}`, 'Host: two', ': empty', 'X-\u00e9: 1', 'X\u000b: 1'],
]

const HTTP2 = 'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n'

const part: fc.Arbitrary<Part> = fc.oneof(
  {
    weight: 4,
    arbitrary: fc.record({
      kind: fc.constant('order' as const),
      framing: fc.constantFrom(...FRAMINGS),
      chunking: fc.constantFrom(...CHUNKINGS),
    }),
  },
  {
    weight: 2,
    arbitrary: fc.record({ kind: fc.constant('read'), header: fc.constantFrom(...HEADERS) }),
  },
  {
    weight: 1,
    arbitrary: fc.record({
      kind: fc.constant('garbage' as const),
      text: fc.oneof(
        fc.string({ unit: 'binary-ascii', maxLength: 50 }),
        fc.constantFrom('\r\n', '\n', '0\r\n\r\n', HTTP2, '\u0016\u0003\u0001'),
      ),
    }),
  },
)

const input = fc.record({
  parts: fc.array(part, { minLength: 1, maxLength: 4 }),
  /** Where the bytes are split into packets, and where they are cut off. */
  splits: fc.array(fc.nat(2_000), { maxLength: 3 }),
  cut: fc.option(fc.nat(2_000), { nil: undefined, freq: 5 }),
  halfClose: fc.boolean(),
})
type Input = typeof input extends fc.Arbitrary<infer T> ? T : never

/** Bytes on a socket never become more orders than a strict reader sees in them. */
export const rawSockets: Target = {
  name: 'raw-sockets',
  about: 'bytes on sockets: broken HTTP, two framings, pipelines, half-closed and slow connections',
  weight: 16,
  open: async () => {
    const world = await createWorld()
    await world.app.listen({ host: '127.0.0.1', port: 0 })
    let mark = 0
    return {
      inputsPerRun: PER_RUN,
      isSlow: true,
      property: fc.asyncProperty(
        fc.array(input, { minLength: PER_RUN, maxLength: PER_RUN }),
        async (inputs) => {
          world.paper.clearReceived()
          const marked = inputs.map((each) => {
            mark += 1
            return { each, bytes: bytesOf(each, world, `fz${mark}x`), mark: `fz${mark}x` }
          })
          const responses = await Promise.all(
            marked.map(({ each, bytes }) => talk(world, bytes, each)),
          )
          const arrived = world.paper.received({ path: '/api/v3/order' })
          for (const [at, { bytes, mark }] of marked.entries()) {
            const response = responses[at] ?? ''
            checkOne({ world, bytes, response, arrived: arrived.map(({ query }) => query), mark })
          }
          const alive = await world.app.inject({ url: '/health/live' })
          assert.equal(alive.statusCode, 200, 'it does not answer any more')
        },
      ),
      close: world.close,
    }
  },
}

interface Talk {
  readonly world: World
  readonly bytes: string
  readonly response: string
  /** Queries of the orders that arrived at the exchange, of all connections. */
  readonly arrived: readonly string[]
  readonly mark: string
}

function checkOne({ world, bytes, response, arrived, mark }: Talk): void {
  const shown = JSON.stringify(bytes.length > 3_000 ? `${bytes.slice(0, 3_000)}…` : bytes)
  const own = arrived.filter((query) => query.includes(`newClientOrderId=${mark}`))
  const strict = ordersIn(bytes)
  for (const query of own) {
    const id = new URLSearchParams(query).get('newClientOrderId') ?? ''
    assert.ok(strict.includes(id), `the order ${id} was sent of ${shown}, which got ${response}`)
  }
  assert.equal(new Set(own).size, own.length, `an order was sent twice of ${shown}`)
  const heads: string[] = response.match(/HTTP\/1\.1 \d{3}/g) ?? []
  assert.ok(!heads.includes('HTTP/1.1 500'), `${shown} got ${response}`)
  const finals = heads.filter((head) => !head.endsWith(' 100')).length
  const asked = requestLinesIn(bytes)
  assert.ok(finals <= asked + 1, `${asked} requests got ${finals} responses: ${shown}`)
  const leak = leakIn(world.secrets, response)
  assert.equal(leak, undefined, `a secret is in the response: ${response}`)
}

const requestLinesIn = (bytes: string) => bytes.match(/HTTP\/1\.1/g)?.length ?? 0

function bytesOf({ parts, cut }: Input, { bot }: World, mark: string): string {
  const authorization = `Authorization: ${bot.headers.authorization}`
  const bytes = parts
    .map((part, at) => {
      if (part.kind === 'garbage') return part.text
      if (part.kind === 'read') {
        const header = part.header === '' ? [] : [part.header]
        return lines('GET /health/live HTTP/1.1', 'Host: x', ...header)
      }
      return orderBytes(part, authorization, `${mark}${at}`, `${mark}s${at}`)
    })
    .join('')
  return cut === undefined ? bytes : bytes.slice(0, cut)
}

const lines = (...text: string[]) => `${text.join('\r\n')}\r\n\r\n`

function orderTarget(id: string): string {
  return `/mx/api/v3/order?symbol=BTCUSDT&side=BUY&type=LIMIT&quantity=0.001&price=20000&newClientOrderId=${id}`
}

/** An order whose body is another one: a reader of the wrong framing takes it for a request. */
function orderBytes(
  { framing, chunking }: Extract<Part, { kind: 'order' }>,
  authorization: string,
  id: string,
  smuggled: string,
): string {
  const body = lines(
    `POST ${orderTarget(smuggled)} HTTP/1.1`,
    'Host: x',
    authorization,
    'Content-Length: 0',
  )
  const { headers, isChunked } = framingOf(framing, body.length)
  const head = [
    `POST ${orderTarget(id)} HTTP/1.1`,
    ...['Host: x', authorization, 'Content-Type: text/plain', ...headers],
  ]
  return lines(...head) + (isChunked ? chunked(body, chunking) : body)
}

const CHUNKED = 'Transfer-Encoding: chunked'

/** The headers about the body, and whether it is sent in chunks. */
function framingOf(framing: string, length: number): { headers: string[]; isChunked: boolean } {
  const said = `Content-Length: ${length}`
  const whole: Readonly<Record<string, string[]>> = {
    length: [said],
    'chunked-after-length': [CHUNKED, said],
    'two-lengths': ['Content-Length: 0', said],
    'same-lengths': [said, said],
    'length-list': [`${said}, 0`],
    short: ['Content-Length: 0'],
    long: [`Content-Length: ${length + 10}`],
    plus: [`Content-Length: +${length}`],
    hex: [`Content-Length: 0x${length.toString(16)}`],
    space: [`Content-Length : ${length}`],
    identity: ['Transfer-Encoding: identity', said],
    none: [],
    negative: ['Content-Length: -1'],
    huge: [`Content-Length: ${'9'.repeat(30)}`],
  }
  const inChunks: Readonly<Record<string, string[]>> = {
    chunked: [CHUNKED],
    both: ['Content-Length: 4', CHUNKED],
    'chunked-identity': [`${CHUNKED}, identity`],
    'two-chunked': [CHUNKED, CHUNKED],
    'tab-chunked': ['Transfer-Encoding:\tchunked'],
    'upper-chunked': ['TRANSFER-ENCODING: CHUNKED'],
    folded: ['Transfer-Encoding:', ' chunked'],
    'vertical-tab': ['Transfer-Encoding: \u000bchunked'],
  }
  const isChunked = framing in inChunks
  return { headers: inChunks[framing] ?? whole[framing] ?? [], isChunked }
}

function chunked(body: string, chunking: string): string {
  const size = body.length.toString(16)
  const cases: Readonly<Record<string, string>> = {
    plain: `${size}\r\n${body}\r\n0\r\n\r\n`,
    extension: `${size};a=b\r\n${body}\r\n0\r\n\r\n`,
    'quoted-extension': `${size};a="\r\n"\r\n${body}\r\n0\r\n\r\n`,
    upper: `${size.toUpperCase()}\r\n${body}\r\n0\r\n\r\n`,
    zeros: `000${size}\r\n${body}\r\n000\r\n\r\n`,
    'bare-lf': `${size}\n${body}\n0\n\n`,
    'no-end': `${size}\r\n${body}\r\n`,
    'long-size': `${'f'.repeat(20)}\r\n${body}\r\n0\r\n\r\n`,
    negative: `-1\r\n${body}\r\n0\r\n\r\n`,
    trailer: `${size}\r\n${body}\r\n0\r\nX: y\r\n\r\n`,
    'trailer-length': `0\r\nContent-Length: 5\r\n\r\n${body}`,
    space: `${size} \r\n${body}\r\n0\r\n\r\n`,
    'bad-size': `0x${size}\r\n${body}\r\n0\r\n\r\n`,
    'crlf-missing': `${size}\r\n${body}0\r\n\r\n`,
  }
  return cases[chunking] ?? ''
}

/**
 * The orders in the bytes by a reader that takes RFC 9112 at its word and stops at the first doubt.
 * @returns their ids
 */
function ordersIn(bytes: string): string[] {
  const ids: string[] = []
  let rest = bytes
  while (rest !== '') {
    // RFC 9112, 2.2: empty lines before a request, and a bare line feed as the end of one.
    rest = rest.replace(/^(?:\r?\n)+/, '')
    const end = rest.indexOf('\r\n\r\n')
    if (end === -1) return ids
    const [line = '', ...headers] = rest.slice(0, end).split('\r\n')
    rest = rest.slice(end + 4)
    const id = /^POST \/mx\/api\/v3\/order\?\S*newClientOrderId=(\w+) HTTP\/1\.1$/.exec(line)?.[1]
    if (id === undefined && !/^[A-Z]+ \S+ HTTP\/1\.1$/.test(line)) return ids
    if (headers.some((header) => !/^[!#$%&'*+.^_`|~\w-]+:[\t\x20-\x7e\x80-\xff]*$/.test(header)))
      return ids
    const valuesOf = (name: string) =>
      headers.flatMap((header) => {
        const at = header.indexOf(':')
        return header.slice(0, at).toLowerCase() === name ? [header.slice(at + 1).trim()] : []
      })
    const after = bodyEnd(rest, valuesOf('content-length'), valuesOf('transfer-encoding'))
    if (after === undefined) return ids
    if (id !== undefined) ids.push(id)
    rest = rest.slice(after)
    if (valuesOf('connection').includes('close')) return ids
  }
  return ids
}

/** Where the body ends; undefined when that is in doubt, or when it is not all there. */
function bodyEnd(rest: string, lengths: string[], encodings: string[]): number | undefined {
  if (encodings.length > 0) {
    if (lengths.length > 0 || encodings.length > 1) return undefined
    return encodings[0]?.toLowerCase() === 'chunked' ? chunksEnd(rest) : undefined
  }
  if (lengths.length === 0) return 0
  const [length = ''] = lengths
  if (new Set(lengths).size > 1 || !/^\d{1,9}$/.test(length)) return undefined
  return Number(length) <= rest.length ? Number(length) : undefined
}

function chunksEnd(rest: string): number | undefined {
  let at = 0
  for (;;) {
    const head = /^([0-9a-fA-F]{1,8})[\t ]*(?:;[^\r\n]*)?\r\n/.exec(rest.slice(at))
    if (head === null) return undefined
    const size = Number.parseInt(head[1] ?? '', 16)
    at += head[0].length
    if (size === 0) {
      const end = /^(?:[^\r\n:]+:[^\r\n]*\r\n)*\r\n/.exec(rest.slice(at))
      return end === null ? undefined : at + end[0].length
    }
    if (rest.slice(at + size, at + size + 2) !== '\r\n') return undefined
    at += size + 2
  }
}

/** Writes the bytes in pieces and reads until the end, or until it has been silent for a while. */
async function talk({ app }: World, bytes: string, { splits, halfClose }: Input): Promise<string> {
  const { port } = app.server.address() as AddressInfo
  const socket = connect({ port, host: '127.0.0.1', allowHalfOpen: true })
  socket.setNoDelay(true)
  let received = ''
  let isOver = false
  socket.setEncoding('latin1')
  socket.on('data', (text: string) => {
    received += text
  })
  const over = () => {
    isOver = true
  }
  socket.on('error', over).on('end', over).on('close', over)
  let from = 0
  for (const at of splits.toSorted((a, b) => a - b)) {
    if (at <= from || at >= bytes.length) continue
    socket.write(bytes.slice(from, at), 'latin1')
    from = at
    await sleep(1)
  }
  socket.write(bytes.slice(from), 'latin1')
  if (halfClose) socket.end()
  const startedMs = performance.now()
  let seen = -1
  while (!isOver && received.length !== seen && performance.now() - startedMs < OPEN_MS_MAX) {
    seen = received.length
    await sleep(SILENT_MS)
  }
  socket.destroy()
  return received
}
