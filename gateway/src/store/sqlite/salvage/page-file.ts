import { closeSync, existsSync, fstatSync, openSync, readSync } from 'node:fs'
import { readWal, type Wal } from './wal.ts'

/**
 * The pages of a database file, as its write-ahead log changes them. It is read byte by byte and
 * not by SQLite, so that damage to one page hides no other page, and nothing is written beside it.
 * The format: sqlite.org/fileformat2.html.
 */
export interface PageFile {
  /** Bytes of a page that hold content. */
  readonly usableBytes: number
  readonly pageCount: number
  /** Whether the first 100 bytes of the file are a header. */
  readonly hasHeader: boolean
  /** The first page of the list of free pages; 0 for none. */
  readonly firstFree: number
  /** What could be read of the write-ahead log; undefined when there is none. */
  readonly wal: Pick<Wal, 'frames' | 'lostFrames'> | undefined
  /** Undefined when the page cannot be read. */
  page(number: number): Buffer | undefined
  close(): void
}

const MAGIC = 'SQLite format 3\u0000'
/** Of a database whose header is lost. */
export const USUAL_PAGE_BYTES = 4_096

/** Opens a database file for reading its pages. @throws errors of the file system */
export function openPageFile(path: string): PageFile {
  const file = openSync(path, 'r')
  const fileBytes = fstatSync(file).size
  const walPath = `${path}-wal`
  const wal = existsSync(walPath) ? readWal(walPath) : undefined
  const inWal = wal?.page(1)
  const start = inWal ?? read(file, 0, 100) ?? Buffer.alloc(100)
  const hasHeader = start.toString('latin1', 0, 16) === MAGIC && isPageSize(sizeOf(start))
  const pageBytes = hasHeader ? sizeOf(start) : (wal?.pageBytes ?? USUAL_PAGE_BYTES)
  return {
    usableBytes: pageBytes - (hasHeader ? start.readUInt8(20) : 0),
    pageCount: Math.max(Math.ceil(fileBytes / pageBytes), wal?.pageCount ?? 0),
    hasHeader,
    firstFree: hasHeader ? start.readUInt32BE(32) : 0,
    wal,
    page: (number) => wal?.page(number) ?? read(file, (number - 1) * pageBytes, pageBytes),
    close() {
      closeSync(file)
      wal?.close()
    },
  }
}

const sizeOf = (header: Buffer) =>
  header.readUInt16BE(16) === 1 ? 65_536 : header.readUInt16BE(16)

const isPageSize = (bytes: number) => bytes >= 512 && (bytes & (bytes - 1)) === 0

/** Undefined when the file is too short there, or when the disk cannot read it. */
export function read(file: number, position: number, bytes: number): Buffer | undefined {
  const buffer = Buffer.allocUnsafe(bytes)
  try {
    return readSync(file, buffer, 0, bytes, position) === bytes ? buffer : undefined
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'EIO') return undefined
    throw error
  }
}
