import { setPriority } from 'node:os'
import { parentPort, workerData } from 'node:worker_threads'
import { openLogReads } from '../../store/open-log-reads.ts'
import { type LogExport, writeExport, writePage } from './log-output.ts'
import type { FromWorker, ToWorker } from './log-reader.ts'

// A thread that reads the log with a connection of its own, so that the gateway's event loop is
// free for orders. All requests advance side by side: each gives way to the others after a step.

const PIECE_CHARACTERS = 64 * 1024

/** About a third of the time of a thread that has something to do for orders. */
const NICE = 5

interface Running {
  readonly abort: AbortController
  /** Called when the next piece of an export is wanted. */
  more: () => void
}

// Orders go first. Linux has a priority for each thread; elsewhere it is that of the process.
if (process.platform === 'linux') setPriority(NICE)

const port = parentPort
if (port === null) throw new Error('This file is the start of a worker thread')
const { path }: { path: string } = workerData
const { reads, close } = openLogReads(path)
const running = new Map<number, Running>()
const encoder = new TextEncoder()

port.on('message', (message: ToWorker) => {
  switch (message.type) {
    case 'page':
      return void run(message.id, async ({ abort }) => {
        const { body, ...rest } = await writePage(reads, message.page, abort.signal)
        send({ type: 'page', id: message.id, body: encoder.encode(body), ...rest })
      })
    case 'histogram':
      return void run(message.id, async ({ abort }) => {
        const histogram = await reads.histogram(message.request, abort.signal)
        send({ type: 'histogram', id: message.id, histogram })
      })
    case 'export':
      return void run(message.id, (request) => sendPieces(message.id, message.request, request))
    case 'more':
      return running.get(message.id)?.more()
    case 'cancel':
      return running.get(message.id)?.abort.abort()
    case 'close':
      for (const { abort } of running.values()) abort.abort()
      return port.close()
  }
})
port.on('close', close)

async function run(id: number, work: (request: Running) => Promise<void>): Promise<void> {
  const request: Running = { abort: new AbortController(), more: () => {} }
  running.set(id, request)
  try {
    await work(request)
  } catch (error) {
    if (!request.abort.signal.aborted) send(toFailure(id, error))
  } finally {
    running.delete(id)
  }
}

/** Sends one piece for each time that more is wanted. */
async function sendPieces(id: number, request: LogExport, running: Running): Promise<void> {
  const { signal } = running.abort
  let wanted = Promise.withResolvers<void>()
  signal.addEventListener('abort', () => wanted.resolve())
  running.more = () => wanted.resolve()
  let text = ''
  const send1 = async () => {
    await wanted.promise
    signal.throwIfAborted()
    wanted = Promise.withResolvers()
    send({ type: 'piece', id, bytes: encoder.encode(text) })
    text = ''
  }
  for await (const part of writeExport(reads, request, signal)) {
    text += part
    if (text.length >= PIECE_CHARACTERS) await send1()
  }
  if (text !== '') await send1()
  send({ type: 'end', id })
}

function send(message: FromWorker): void {
  const bytes =
    message.type === 'page' ? message.body : message.type === 'piece' ? message.bytes : undefined
  port?.postMessage(message, bytes === undefined ? [] : [bytes.buffer as ArrayBuffer])
}

function toFailure(id: number, error: unknown): FromWorker {
  const message = error instanceof Error ? error.message : String(error)
  const code = error instanceof Error && 'code' in error ? String(error.code) : undefined
  return { type: 'error', id, message, code }
}
