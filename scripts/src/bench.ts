import { lane } from './bench/lane.ts'
import { requireNode24 } from './cli.ts'

/** Measures one thing and prints what it found; `print` takes one line or a table. */
type Bench = (print: (text: string) => void) => Promise<void>

const benches: Readonly<Record<string, Bench>> = { lane }

requireNode24()
process.exitCode = await run(process.argv.slice(2))

async function run(asked: string[]): Promise<number> {
  const names = Object.keys(benches)
  const unknown = asked.filter((name) => !names.includes(name))
  if (unknown.length > 0) {
    console.error(
      `There is no benchmark "${unknown.join('", "')}". There are: ${names.join(', ')}.`,
    )
    return 2
  }
  if (asked.length === 0)
    console.log(`Benchmarks: ${names.join(', ')}. One alone: npm run bench -- NAME`)
  for (const [name, bench] of Object.entries(benches)) {
    if (asked.length > 0 && !asked.includes(name)) continue
    console.log(`\n== ${name} ==`)
    await bench(console.log)
  }
  return 0
}
