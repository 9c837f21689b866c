import type { MoveProgress } from 'gateway/operations/move-store.ts'
import type { Output } from './cli.ts'

const REDRAW_EVERY_MS = 200
/** Back to the start of the line, which is then empty. */
const CLEAR_LINE = '\r\u001b[K'

/**
 * Shows how far a move is, on one line that is drawn again. Writes nothing when the output is not a
 * terminal.
 * @param nowMs a monotonic clock
 */
export function showRows(out: Pick<Output, 'isTTY' | 'write'>, nowMs = () => performance.now()) {
  let drawnMs = Number.NEGATIVE_INFINITY
  return {
    onProgress({ step, table, done, total }: MoveProgress): void {
      if (!out.isTTY || nowMs() - drawnMs < REDRAW_EVERY_MS) return
      drawnMs = nowMs()
      out.write(`${CLEAR_LINE}${table}: ${done} of ${total} rows ${step}`)
    },
    /** Removes the line. */
    clear: () => void (out.isTTY && out.write(CLEAR_LINE)),
  }
}
