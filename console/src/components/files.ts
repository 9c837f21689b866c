/** Hands text to the browser as a file to save. */
export function downloadText(fileName: string, text: string, type = 'text/plain'): void {
  downloadBlob(fileName, new Blob([text], { type: `${type};charset=utf-8` }))
}

/** Hands bytes to the browser as a file to save. */
export function downloadBlob(fileName: string, blob: Blob): void {
  const url = URL.createObjectURL(blob)
  const link = document.createElement('a')
  link.href = url
  link.download = fileName
  link.click()
  URL.revokeObjectURL(url)
}

/** Takes a file piece by piece. */
interface FileSink {
  readonly write: (piece: Uint8Array<ArrayBuffer>) => Promise<void>
  /** The whole file. */
  readonly finish: (type: string) => Promise<Blob>
  /** Forgets what was written. */
  readonly discard: () => Promise<void>
}

const FOLDER = 'exports'
/** A browser has long saved what is older. */
const KEPT_MS = 600_000

/**
 * A file that is written to the page's own place on the disk, so that it is never in memory as a
 * whole. Where the browser has no such place (plain http, private windows), it is kept in memory.
 */
export async function createFileSink(): Promise<FileSink> {
  try {
    return await createDiskSink()
  } catch {
    // The place is missing or closed to this page, which is no failure: memory takes the file.
    return createMemorySink()
  }
}

async function createDiskSink(): Promise<FileSink> {
  const root = await navigator.storage.getDirectory()
  const folder = await root.getDirectoryHandle(FOLDER, { create: true })
  await removeOld(folder)
  const name = `${Date.now()}-${performance.now()}`
  const handle = await folder.getFileHandle(name, { create: true })
  const stream = await handle.createWritable()
  return {
    write: (piece) => stream.write(piece),
    finish: async (type) => {
      await stream.close()
      const file = await handle.getFile()
      // A slice only refers to the file, and has the type that the file lacks.
      return file.slice(0, file.size, type)
    },
    discard: async () => {
      await stream.abort()
      await folder.removeEntry(name)
    },
  }
}

async function removeOld(folder: FileSystemDirectoryHandle): Promise<void> {
  for await (const name of folder.keys())
    if (Number.parseFloat(name) < Date.now() - KEPT_MS) await folder.removeEntry(name)
}

function createMemorySink(): FileSink {
  const pieces: Uint8Array<ArrayBuffer>[] = []
  return {
    write: async (piece) => void pieces.push(piece),
    finish: async (type) => new Blob(pieces, { type }),
    discard: async () => void pieces.splice(0),
  }
}
