import type { Call } from '../cli.ts'
import { nextSteps } from './next-steps.ts'
import { type DemoOptions, startDemo } from './start-demo.ts'

/** Starts the demo, prints how to use it, and closes it on a signal. */
export async function runDemo(
  ports: DemoOptions['ports'],
  dataFolder: string,
  { io, console }: Pick<Call, 'io' | 'console'>,
): Promise<void> {
  const demo = await startDemo({
    ports,
    dataFolder,
    onProgress: (step) => console.log(`  ${step} …`),
  })
  console.log(nextSteps(demo))
  io.closeOnSignal({
    async close() {
      console.log('\nStopping …')
      await demo.close()
      console.log(
        'Stopped. The next "npm run demo" keeps the clients and the log; the paper exchange starts empty.',
      )
    },
    withinMs: 10_000,
  })
}
