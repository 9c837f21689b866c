import { once } from 'node:events'
import { isMainThread, parentPort, Worker, workerData } from 'node:worker_threads'
import { Pool } from 'undici'
import type { Load, LoadReport, RequestTemplate } from './load.ts'

// Makes the load of the gateway benchmark. A latency is counted from the moment at which its
// request was to be sent, not from when a connection was free for it: a server that stalls delays
// what waits behind it, and that is its latency too (coordinated omission).

/** The first part of a load at full speed, which is not counted. */
const WARM_PART = 0.2
/** A response that takes longer is a failure. */
const RESPONSE_MS_MAX = 20_000

/** An HS256 signature in base64url. */
const SIGNATURE_LENGTH = 43

const nowMs = () => Number(process.hrtime.bigint()) / 1e6

if (isMainThread) {
  process.on('disconnect', () => process.exit(0))
  process.on('message', (load: Load) => {
    const failed = (error: unknown): LoadReport => ({ failure: String(error) })
    void run(load)
      .catch(failed)
      .then((report) => process.send?.(report))
  })
} else tick(workerData)

async function run(load: Load): Promise<LoadReport> {
  const pool = new Pool(load.origin, {
    connections: load.connections,
    pipelining: 1,
    headersTimeout: RESPONSE_MS_MAX,
    bodyTimeout: RESPONSE_MS_MAX,
  })
  const send = sender(pool, load)
  try {
    return await (load.perSecond === undefined ? fullSpeed(load, send) : fixedRate(load, send))
  } finally {
    await pool.destroy()
  }
}

type Send = () => Promise<void>

/** As many requests at a time as there are connections, until the time is over. */
async function fullSpeed({ connections, ms }: Load, send: Send): Promise<LoadReport> {
  const latenciesMs: number[] = []
  let sent = 0
  const startedMs = nowMs()
  const countedFromMs = startedMs + ms * WARM_PART
  const untilMs = startedMs + ms
  const keepBusy = async () => {
    for (let sentMs = nowMs(); sentMs < untilMs; ) {
      sent += 1
      await send()
      const doneMs = nowMs()
      if (doneMs >= countedFromMs && doneMs < untilMs) latenciesMs.push(doneMs - sentMs)
      sentMs = doneMs
    }
  }
  await Promise.all(Array.from({ length: connections }, keepBusy))
  return { latenciesMs, spentMs: untilMs - countedFromMs, sent }
}

/** One request at each planned moment, whatever became of those before. */
async function fixedRate({ ms, perSecond = 1 }: Load, send: Send): Promise<LoadReport> {
  const latenciesMs: number[] = []
  // Connections are opened before anything counts.
  await Promise.all(Array.from({ length: 8 }, send))
  const periodMs = 1000 / perSecond
  const count = Math.max(1, Math.round(ms / periodMs))
  const startMs = nowMs() + 50
  const responses: Promise<unknown>[] = []
  const failures: unknown[] = []
  // Timers of the event loop are up to a millisecond late. A thread that sleeps is not.
  const ticker = new Worker(new URL(import.meta.url), {
    workerData: { startMs, periodMs, count } satisfies Ticks,
  })
  ticker.on('message', (index: number) => {
    const plannedMs = startMs + index * periodMs
    const note = () => latenciesMs.push(nowMs() - plannedMs)
    responses.push(send().then(note, (error) => failures.push(error)))
  })
  await once(ticker, 'exit')
  await Promise.all(responses)
  if (failures.length > 0) throw failures[0]
  return { latenciesMs, spentMs: nowMs() - startMs, sent: count }
}

interface Ticks {
  readonly startMs: number
  readonly periodMs: number
  readonly count: number
}

/** Reports the number of each planned moment when it has come, on the clock of all threads. */
function tick({ startMs, periodMs, count }: Ticks): void {
  const never = new Int32Array(new SharedArrayBuffer(4))
  for (let index = 0; index < count; index += 1) {
    const leftMs = startMs + index * periodMs - nowMs()
    if (leftMs > 0) Atomics.wait(never, 0, 0, leftMs)
    parentPort?.postMessage(index)
  }
}

function sender(pool: Pool, { requests, status, prefix }: Load): Send {
  let sent = 0
  return () => {
    const template = requests[sent % requests.length]
    if (template === undefined) throw new TypeError('A load needs a request')
    sent += 1
    return exchange(pool, filled(template, `${prefix}${sent}`), status)
  }
}

function filled(template: RequestTemplate, n: string): RequestTemplate {
  const signature = n.padEnd(SIGNATURE_LENGTH, 'A')
  const fill = (text: string) => text.replaceAll('{n}', n).replaceAll('{signature}', signature)
  const headers = Object.entries(template.headers).map(([name, value]) => [name, fill(value)])
  return {
    method: template.method,
    path: fill(template.path),
    headers: Object.fromEntries(headers),
    ...(template.body === undefined ? {} : { body: fill(template.body) }),
  }
}

/** Sends one request and waits for the end of its response. @throws with the response */
function exchange(pool: Pool, request: RequestTemplate, expected: number): Promise<void> {
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = []
    let status = 0
    pool.dispatch(
      { ...request, headers: { ...request.headers }, body: request.body ?? null },
      {
        onRequestStart() {},
        onResponseStart(_controller, statusCode) {
          status = statusCode
        },
        onResponseData(_controller, chunk) {
          if (status !== expected) chunks.push(chunk)
        },
        onResponseEnd() {
          if (status === expected) return resolve()
          const text = `${status} instead of ${expected}: ${Buffer.concat(chunks)}`
          reject(new Error(`${request.method} ${request.path}: ${text}`))
        },
        onResponseError: (_controller, error) => reject(error),
      },
    )
  })
}
