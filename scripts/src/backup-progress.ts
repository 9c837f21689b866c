import type { CopyProgress } from 'gateway/store/sqlite/backup.ts'
import type { Output } from './cli.ts'

const BAR_WIDTH = 30
const REDRAW_EVERY_MS = 200
const MB = 1024 ** 2
/** Back to the start of the line, which is then empty. */
const CLEAR_LINE = '\r\u001b[K'

/**
 * Shows how far a backup is, on one line that is drawn again. Writes nothing when the output is not
 * a terminal, as under cron.
 * @param nowMs a monotonic clock
 */
export function showProgress(
  out: Pick<Output, 'isTTY' | 'write'>,
  nowMs = () => performance.now(),
) {
  const startMs = nowMs()
  let drawnMs = Number.NEGATIVE_INFINITY
  const draw = (text: string) => {
    if (out.isTTY) out.write(`${CLEAR_LINE}${text}`)
  }
  return {
    onProgress(progress: CopyProgress): void {
      if (nowMs() - drawnMs < REDRAW_EVERY_MS) return
      drawnMs = nowMs()
      draw(progressText(progress, drawnMs - startMs))
    },
    /** The copy is complete, and is read back next. Nothing can be reported of that. */
    onCopied: () => draw('Reading the copy back; this takes a while …'),
    /** Removes the line. */
    clear: () => draw(''),
  }
}

/** `[=====     ] 50 %, 600 of 1200 MB, 20 s left`. */
export function progressText({ copiedBytes, totalBytes }: CopyProgress, elapsedMs: number): string {
  const part = totalBytes === 0 ? 1 : copiedBytes / totalBytes
  const bar = '='.repeat(Math.round(part * BAR_WIDTH)).padEnd(BAR_WIDTH)
  const mb = (bytes: number) => Math.round(bytes / MB)
  const text = `[${bar}] ${Math.floor(part * 100)} %, ${mb(copiedBytes)} of ${mb(totalBytes)} MB`
  if (part === 0) return text
  return `${text}, ${Math.ceil((elapsedMs * (1 / part - 1)) / 1000)} s left`
}
