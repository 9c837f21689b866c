import type { Output } from './cli.ts'

const REDRAW_EVERY_MS = 200
/** Back to the start of the line, which is then empty. */
const CLEAR_LINE = '\r\u001b[K'

/**
 * Shows how far a salvage is, on one line that is drawn again. Writes nothing when the output is
 * not a terminal.
 * @param nowMs a monotonic clock
 */
export function showPages(out: Pick<Output, 'isTTY' | 'write'>, nowMs = () => performance.now()) {
  let drawnMs = Number.NEGATIVE_INFINITY
  return {
    onProgress(done: number, pages: number): void {
      if (!out.isTTY || nowMs() - drawnMs < REDRAW_EVERY_MS) return
      drawnMs = nowMs()
      out.write(`${CLEAR_LINE}${done} pages with rows read, of ${pages} pages of all kinds`)
    },
    /** Removes the line. */
    clear: () => void (out.isTTY && out.write(CLEAR_LINE)),
  }
}
