import { closeSync, existsSync, fstatSync, openSync, readSync } from 'node:fs'

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
const USUAL_PAGE_BYTES = 4_096

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
function read(file: number, position: number, bytes: number): Buffer | undefined {
  const buffer = Buffer.allocUnsafe(bytes)
  try {
    return readSync(file, buffer, 0, bytes, position) === bytes ? buffer : undefined
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'EIO') return undefined
    throw error
  }
}

/** A write-ahead log (sqlite.org/fileformat2.html#the_write_ahead_log). */
interface Wal {
  readonly pageBytes: number
  /** Pages of the database after the last commit that can be read. */
  readonly pageCount: number
  /** Frames up to the last commit that can be read. */
  readonly frames: number
  /** Frames behind a damaged one: what they hold was committed and cannot be verified. */
  readonly lostFrames: number
  /** The newest version of a page; undefined when the log does not have it. */
  page(number: number): Buffer | undefined
  close(): void
}

const HEADER_BYTES = 32
const FRAME_HEADER_BYTES = 24

/** Undefined when the log is empty. */
function readWal(path: string): Wal | undefined {
  const file = openSync(path, 'r')
  const header = read(file, 0, HEADER_BYTES)
  if (header === undefined) {
    closeSync(file)
    return undefined
  }
  // The last bit says in which order the bytes of the checksums are.
  const isLog = (header.readUInt32BE(0) & ~1) >>> 0 === 0x377f0682
  const pageBytes = isLog ? header.readUInt32BE(8) : USUAL_PAGE_BYTES
  const frameBytes = FRAME_HEADER_BYTES + pageBytes
  const total = Math.floor((fstatSync(file).size - HEADER_BYTES) / frameBytes)
  const found = isLog
    ? committedPages({ file, header, frameBytes, total })
    : { pages: new Map<number, number>(), pageCount: 0, frames: 0, lostFrames: total }
  return {
    ...found,
    pageBytes,
    page(number) {
      const frame = found.pages.get(number)
      if (frame === undefined) return undefined
      return read(file, HEADER_BYTES + frame * frameBytes + FRAME_HEADER_BYTES, pageBytes)
    },
    close: () => closeSync(file),
  }
}

interface Frames {
  readonly file: number
  readonly header: Buffer
  readonly frameBytes: number
  readonly total: number
}

function committedPages({ file, header, frameBytes, total }: Frames) {
  const salts = header.subarray(16, 24)
  const sum = createSum(header.readUInt32BE(0) % 2 === 1)
  sum.add(header.subarray(0, 24))
  const pages = new Map<number, number>()
  const uncommitted = new Map<number, number>()
  const state = { pageCount: 0, frames: 0 }
  let index = 0
  for (; index < total; index += 1) {
    const frame = read(file, HEADER_BYTES + index * frameBytes, frameBytes)
    if (frame === undefined || !frame.subarray(8, 16).equals(salts)) break
    sum.add(frame.subarray(0, 8))
    sum.add(frame.subarray(FRAME_HEADER_BYTES))
    if (!sum.is(frame.readUInt32BE(16), frame.readUInt32BE(20))) break
    uncommitted.set(frame.readUInt32BE(0), index)
    const pageCount = frame.readUInt32BE(4)
    if (pageCount === 0) continue
    Object.assign(state, { pageCount, frames: index + 1 })
    for (const [page, at] of uncommitted) pages.set(page, at)
    uncommitted.clear()
  }
  // Frames of an earlier use of the file have other salts, and are no loss.
  let lostFrames = 0
  for (; index < total; index += 1) {
    const at = HEADER_BYTES + index * frameBytes
    if (read(file, at, FRAME_HEADER_BYTES)?.subarray(8, 16).equals(salts)) lostFrames += 1
  }
  return { ...state, pages, lostFrames }
}

/** The checksum that SQLite carries from frame to frame. */
function createSum(isBigEndian: boolean) {
  let first = 0
  let second = 0
  return {
    add(bytes: Buffer): void {
      const word = (at: number) => (isBigEndian ? bytes.readUInt32BE(at) : bytes.readUInt32LE(at))
      for (let at = 0; at < bytes.length; at += 8) {
        first = (first + word(at) + second) >>> 0
        second = (second + word(at + 4) + first) >>> 0
      }
    },
    is: (a: number, b: number) => first === a && second === b,
  }
}
