import { Readable } from 'node:stream'
import { MEMORY_PATH } from '../../store/database-path.ts'
import type { Histogram, HistogramRequest } from '../../store/log-histogram.ts'
import type { LogReads } from '../../store/log-reads.ts'
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

export interface LogReaderDeps {
  /** Of the database. */
  readonly path: string
  readonly log: LogReads
  /** Makes the error of a request from one of SQLite's, and reports damage. */
  readonly toReadError: (message: string, code: string) => unknown
}

/** Reads a file in a worker thread, and a database in memory on this thread. */
export function createLogReader({ path, log, toReadError }: LogReaderDeps): LogReader {
  return path === MEMORY_PATH
    ? createLocalLogReader(log)
    : new WorkerLogReader({ path, toReadError })
}

/** Reads on this thread: a database in memory has no other connection. */
function createLocalLogReader(reads: LogReads): LogReader {
  return {
    async page(page, signal) {
      const { body, ...rest } = await writePage(reads, page, signal)
      return { body: Buffer.from(body), ...rest }
    },
    histogram: (request, signal) => reads.histogram(request, signal),
    export: (request) => Readable.from(writeExport(reads, request)),
    close: async () => {},
  }
}
