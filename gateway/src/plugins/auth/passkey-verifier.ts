import { Worker } from 'node:worker_threads'
import { PasswordQueueFullError } from '../../vault/errors.ts'
import { PasskeyRefusedError } from './errors.ts'
import type { FromPasskeyWorker, NewPasskey, PasskeyCheck, ToPasskeyWorker } from './passkeys.ts'

export interface PasskeyVerifierOptions {
  /** The thread ends after this time without a check; a minute by default. */
  readonly idleMs?: number
}

const IDLE_MS = 60_000
/** How long a check may take. */
export const PATIENCE_MS = 30_000
/** A check needs some kilobytes; a thread that grows further ends with an error. */
const HEAP_MB = 64
const WAITING_MAX = 50

// The bundle has the worker beside the file that this module is in.
const WORKER = new URL(
  import.meta.url.endsWith('.ts') ? './passkey-worker.ts' : './passkey-worker.js',
  import.meta.url,
)

interface Waiting {
  readonly resolve: (passkey: NewPasskey) => void
  readonly reject: (error: unknown) => void
  readonly timer: NodeJS.Timeout
}

/**
 * Checks what passkeys sign, in a worker thread, which starts with the first check and ends when
 * there was none for a while. When the thread crashes, its checks fail, and the next one starts
 * another.
 */
export class PasskeyVerifier {
  readonly #options: PasskeyVerifierOptions
  readonly #waiting = new Map<number, Waiting>()
  #worker: Worker | undefined
  #idle: NodeJS.Timeout | undefined
  #lastId = 0

  constructor(options: PasskeyVerifierOptions = {}) {
    this.#options = options
  }

  get isRunning(): boolean {
    return this.#worker !== undefined
  }

  /**
   * @returns the passkey as it is to be stored
   * @throws PasskeyRefusedError, and PasswordQueueFullError when too many checks wait
   */
  check(check: PasskeyCheck): Promise<NewPasskey> {
    if (this.#waiting.size >= WAITING_MAX) throw new PasswordQueueFullError()
    clearTimeout(this.#idle)
    this.#worker ??= this.#start()
    this.#lastId += 1
    const id = this.#lastId
    const { promise, resolve, reject } = Promise.withResolvers<NewPasskey>()
    // A thread that does not respond would keep the checks after this one waiting too.
    const timer = setTimeout(() => void this.#end(new PasswordQueueFullError()), PATIENCE_MS)
    this.#waiting.set(id, { resolve, reject, timer: timer.unref() })
    this.#worker.postMessage({ id, check } satisfies ToPasskeyWorker)
    return promise
  }

  /** Ends the thread; what is still checked fails. */
  async close(): Promise<void> {
    await this.#end(new Error('The gateway stops'))
  }

  #start(): Worker {
    const worker = new Worker(WORKER, {
      name: 'passkey',
      execArgv: [],
      resourceLimits: { maxOldGenerationSizeMb: HEAP_MB },
    })
    worker.on('message', (message: FromPasskeyWorker) => this.#receive(message))
    const leave = (error: unknown) => {
      if (this.#worker === worker) void this.#end(error)
    }
    worker.on('error', leave)
    worker.on('exit', () => leave(new Error('The thread that checks passkeys has ended')))
    worker.unref()
    return worker
  }

  #receive(message: FromPasskeyWorker): void {
    const waiting = this.#waiting.get(message.id)
    if (waiting === undefined) return
    clearTimeout(waiting.timer)
    this.#waiting.delete(message.id)
    if ('passkey' in message) waiting.resolve(message.passkey)
    else waiting.reject(new PasskeyRefusedError({ cause: new Error(message.refused) }))
    if (this.#waiting.size > 0) return
    this.#idle = setTimeout(
      () => void this.#end(new Error('The thread that checks passkeys had nothing to do')),
      this.#options.idleMs ?? IDLE_MS,
    ).unref()
  }

  /** Ends the thread; all of its checks fail. */
  async #end(error: unknown): Promise<void> {
    const worker = this.#worker
    this.#worker = undefined
    clearTimeout(this.#idle)
    const waiting = [...this.#waiting.values()]
    this.#waiting.clear()
    for (const { reject, timer } of waiting) {
      clearTimeout(timer)
      reject(error)
    }
    await worker?.terminate()
  }
}
