import { resolve } from 'node:path'
import { type Salvaged, salvage } from 'gateway/operations/salvage.ts'
import { command, type Output, runAsProcess, UsageError } from './cli.ts'
import { salvagedText } from './salvaged-text.ts'

const USAGE = `Usage:
  npm run salvage -- --from DATABASE --to NEW

Reads every row of a damaged database that can still be read into the new file NEW, which must not exist. DATABASE and its
write-ahead log are only read. The gateway must be stopped. Says what was kept and what is lost, table by table.`

export const run = command({
  usage: USAGE,
  options: { from: { type: 'string' }, to: { type: 'string' } },
  async run({ from, to }, _positionals, { io, console }) {
    if (from === undefined || to === undefined) throw new UsageError()
    const progress = showPages(io.err)
    const made = salvage({ from: resolve(from), to: resolve(to), nowMs: Date.now, ...progress })
    const salvaged: Salvaged = await made.finally(progress.clear)
    console.log(salvagedText(from, to, salvaged))
    return 0
  },
})

const REDRAW_EVERY_MS = 200
/** Back to the start of the line, which is then empty. */
const CLEAR_LINE = '\r\u001b[K'

/**
 * Shows how far a salvage is, on one line that is drawn again. Writes nothing when the output is
 * not a terminal.
 * @param nowMs a monotonic clock
 */
function showPages(out: Pick<Output, 'isTTY' | 'write'>, nowMs = () => performance.now()) {
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

await runAsProcess(import.meta, run)
