import { Readable } from 'node:stream'
import { Worker } from 'node:worker_threads'
import type {
  Histogram,
  HistogramRequest,
  LogReads,
  LogStore,
  LogThread,
} from '../../store/log-store.ts'
import { type LogExport, type PageRequest, writeExport, writePage } from './log-output.ts'

/** A page as it is sent. */
interface ReadPage {
  /** A JSON array. */
  readonly body: Buffer
  readonly total: number
  readonly isMore: boolean
}

/** Reads the log for the routes. */
export interface LogReader {
  /** @throws the signal's reason when it aborts before the end */
  page(page: PageRequest, signal: AbortSignal): Promise<ReadPage>
  /** @throws the signal's reason when it aborts before the end */
  histogram(request: HistogramRequest, signal: AbortSignal): Promise<Histogram>
  /** The stream is destroyed with an error when the rows cannot be read to the end. */
  export(request: LogExport): Readable
  close(): Promise<void>
}

/** Reads in a worker thread where the log says so, and otherwise on this thread. */
export function createLogReader(log: Pick<LogStore, keyof LogReads | 'thread'>): LogReader {
  return log.thread === undefined ? createLocalLogReader(log) : new WorkerLogReader(log.thread)
}

/** Reads on this thread. */
function createLocalLogReader(reads: LogReads): LogReader {
  return {
    async page(page, signal) {
      const { body, ...rest } = await writePage(reads, page, signal)
      return { body: Buffer.from(body), ...rest }
    },
    histogram: (request, signal) => reads.histogram(request, signal),
    export: (request) => streamOf((signal) => writeExport(reads, request, signal)),
    close: async () => {},
  }
}

/** A stream that aborts the read under way when it is destroyed. */
function streamOf(write: (signal: AbortSignal) => AsyncGenerator<string, void>): Readable {
  const abort = new AbortController()
  const stream = Readable.from(write(abort.signal))
  const destroy = stream._destroy.bind(stream)
  stream._destroy = (error, callback) => {
    abort.abort()
    destroy(error, callback)
  }
  return stream
}

interface WorkerLogReaderOptions extends LogThread {
  /** The worker ends after this time without a request; a minute by default. */
  readonly idleMs?: number
}

const IDLE_MS = 60_000
/** More than a page of 10,000 rows needs; a worker that grows further ends with an error. */
const HEAP_MB = 128

// The bundle has the worker beside the file that this module is in.
const WORKER = new URL(
  import.meta.url.endsWith('.ts') ? './log-worker.ts' : './log-worker.js',
  import.meta.url,
)

/** Gets what the worker says about one request. */
interface Request {
  readonly receive: (message: FromWorker) => void
  readonly fail: (error: unknown) => void
}

/**
 * Reads the log in a worker thread, which starts with the first request and ends when there was
 * none for a while. When the worker crashes, its requests fail, and the next one starts another.
 */
export class WorkerLogReader implements LogReader {
  readonly #options: WorkerLogReaderOptions
  readonly #requests = new Map<number, Request>()
  #worker: Worker | undefined
  #idle: NodeJS.Timeout | undefined
  #lastId = 0

  constructor(options: WorkerLogReaderOptions) {
    this.#options = options
  }

  get isRunning(): boolean {
    return this.#worker !== undefined
  }

  page(page: PageRequest, signal: AbortSignal): Promise<ReadPage> {
    return this.#ask(
      (id) => ({ type: 'page', id, page }),
      (message) => {
        if (message.type !== 'page') return undefined
        const { body, total, isMore } = message
        return { body: Buffer.from(body.buffer), total, isMore }
      },
      signal,
    )
  }

  histogram(request: HistogramRequest, signal: AbortSignal): Promise<Histogram> {
    return this.#ask(
      (id) => ({ type: 'histogram', id, request }),
      (message) => (message.type === 'histogram' ? message.histogram : undefined),
      signal,
    )
  }

  export(request: LogExport): Readable {
    const stream = new Readable({
      read: () => this.#send({ type: 'more', id }),
      destroy: (error, callback) => {
        this.#cancel(id)
        callback(error)
      },
    })
    const id = this.#begin({
      receive: (message) => {
        if (message.type === 'piece') stream.push(Buffer.from(message.bytes.buffer))
        if (message.type === 'end') {
          this.#end(id)
          stream.push(null)
        }
      },
      fail: (error) => stream.destroy(error instanceof Error ? error : new Error(String(error))),
    })
    this.#send({ type: 'export', id, request })
    return stream
  }

  /** Ends the worker; what is still read fails. */
  async close(): Promise<void> {
    const worker = this.#worker
    this.#leave(new Error('The gateway stops'))
    await worker?.terminate()
  }

  /** Sends a request that has one response. */
  #ask<T>(
    request: (id: number) => ToWorker,
    read: (message: FromWorker) => T | undefined,
    signal: AbortSignal,
  ): Promise<T> {
    const { promise, resolve, reject } = Promise.withResolvers<T>()
    const id = this.#begin({
      receive: (message) => {
        const response = read(message)
        if (response === undefined) return
        resolve(response)
        this.#end(id)
      },
      fail: reject,
    })
    this.#send(request(id))
    signal.addEventListener('abort', () => {
      this.#cancel(id)
      reject(signal.reason)
    })
    return promise
  }

  #begin(request: Request): number {
    clearTimeout(this.#idle)
    this.#worker ??= this.#start()
    this.#lastId += 1
    this.#requests.set(this.#lastId, request)
    return this.#lastId
  }

  #end(id: number): void {
    if (!this.#requests.delete(id) || this.#requests.size > 0) return
    this.#idle = setTimeout(() => {
      this.#send({ type: 'close' })
      this.#worker = undefined
    }, this.#options.idleMs ?? IDLE_MS).unref()
  }

  #cancel(id: number): void {
    if (!this.#requests.has(id)) return
    this.#send({ type: 'cancel', id })
    this.#end(id)
  }

  #send(message: ToWorker): void {
    this.#worker?.postMessage(message)
  }

  #start(): Worker {
    const worker = new Worker(WORKER, {
      name: 'log',
      workerData: { path: this.#options.path },
      execArgv: [],
      resourceLimits: { maxOldGenerationSizeMb: HEAP_MB },
    })
    worker.on('message', (message: FromWorker) => {
      const request = this.#requests.get(message.id)
      if (request === undefined) return
      if (message.type !== 'error') return request.receive(message)
      this.#end(message.id)
      request.fail(this.#toError(message.message, message.code))
    })
    const leave = (error: unknown) => {
      if (this.#worker === worker) this.#leave(error)
    }
    worker.on('error', (error: Error & { code?: string }) =>
      leave(this.#toError(error.message, error.code)),
    )
    worker.on('exit', () => leave(new Error('The thread that reads the log has ended')))
    worker.unref()
    return worker
  }

  /** Forgets the worker; all of its requests fail. */
  #leave(error: unknown): void {
    this.#worker = undefined
    clearTimeout(this.#idle)
    const requests = [...this.#requests.values()]
    this.#requests.clear()
    for (const { fail } of requests) fail(error)
  }

  #toError(message: string, code: string | undefined): unknown {
    return code?.startsWith('SQLITE_')
      ? this.#options.toReadError(message, code)
      : new Error(`The log could not be read: ${message}`)
  }
}

/** What the worker is asked. Each request has an id of its own. */
export type ToWorker =
  | { readonly type: 'page'; readonly id: number; readonly page: PageRequest }
  | { readonly type: 'histogram'; readonly id: number; readonly request: HistogramRequest }
  | { readonly type: 'export'; readonly id: number; readonly request: LogExport }
  /** The next piece of an export is wanted. */
  | { readonly type: 'more'; readonly id: number }
  /** The caller no longer waits for the result. */
  | { readonly type: 'cancel'; readonly id: number }
  | { readonly type: 'close' }

/** What the worker sends back. Texts are UTF-8 bytes, because those are handed over, not copied. */
export type FromWorker =
  | {
      readonly type: 'page'
      readonly id: number
      readonly body: Uint8Array
      readonly total: number
      readonly isMore: boolean
    }
  | { readonly type: 'histogram'; readonly id: number; readonly histogram: Histogram }
  | { readonly type: 'piece'; readonly id: number; readonly bytes: Uint8Array }
  | { readonly type: 'end'; readonly id: number }
  | {
      readonly type: 'error'
      readonly id: number
      readonly message: string
      /** The error's code, such as SQLite's. */
      readonly code: string | undefined
    }
