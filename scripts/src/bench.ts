import { runCommand, UsageError } from './cli.ts'

const USAGE = `Usage:
  npm run bench -- [NAME …]

Measures the parts that decide the speed and prints the results. Without a NAME it runs all benchmarks:
  lane   pace, order and cost of the queue before an exchange, compared with other limiters`

/** Measures one thing and prints what it found; `print` takes one line or a table. */
type Bench = (print: (text: string) => void) => Promise<void>

const benches: Readonly<Record<string, () => Promise<Bench>>> = {
  lane: async () => (await import('./bench/lane.ts')).lane,
}

await runCommand({
  usage: USAGE,
  allowPositionals: true,
  async run(_values, asked) {
    const names = Object.keys(benches)
    const unknown = asked.filter((name) => !names.includes(name))
    if (unknown.length > 0)
      throw new UsageError(
        `There is no benchmark "${unknown.join('", "')}"; there are: ${names.join(', ')}`,
      )
    for (const [name, load] of Object.entries(benches)) {
      if (asked.length > 0 && !asked.includes(name)) continue
      console.log(`\n== ${name} ==`)
      const bench = await load()
      await bench(console.log)
    }
    return 0
  },
})
