import { command, runAsProcess } from './cli.ts'

const USAGE = `Usage:
  npm run screenshots -- [--out FOLDER] [--only TEXT] [--keep]

Takes pictures of the console with data in it, light and dark, wide and narrow.

  --out FOLDER   folder for the pictures; default .cache/screenshots
  --only TEXT    only the pictures whose name contains TEXT
  --keep         also update the pictures of the documents`

export const run = command({
  usage: USAGE,
  failed: 'The pictures were not taken.',
  options: {
    out: { type: 'string', default: '.cache/screenshots' },
    only: { type: 'string', default: '' },
    keep: { type: 'boolean', default: false },
  },
  async run(values, _positionals, { console }) {
    // Loaded when there is something to take: browser and builder take seconds.
    const { runScreenshots } = await import('./screenshots/take-pictures.ts')
    await runScreenshots(values, (line) => console.log(line))
    return 0
  },
})

await runAsProcess(import.meta, run)
