import { Readable } from 'node:stream'
import type { Histogram, HistogramRequest, LogReads, LogStore } from '../../store/log-store.ts'
import { type LogExport, type PageRequest, writeExport, writePage } from './log-output.ts'
import { WorkerLogReader } from './worker-log-reader.ts'

/** A page as it is sent. */
export interface ReadPage {
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
