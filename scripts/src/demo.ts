import { parseArgs } from 'node:util'
import closeWithGrace from 'close-with-grace'
import { requireNode24, startFailure } from './cli.ts'
import { printNextSteps } from './demo/next-steps.ts'
import { startDemo } from './demo/start-demo.ts'

requireNode24()
const { values } = parseArgs({
  options: {
    'gateway-port': { type: 'string', default: '8080' },
    'console-port': { type: 'string', default: '8081' },
    'paper-port': { type: 'string', default: '8082' },
    data: { type: 'string', default: 'data/demo' },
  },
})

try {
  const demo = await startDemo({
    ports: {
      gateway: Number(values['gateway-port']),
      console: Number(values['console-port']),
      paper: Number(values['paper-port']),
    },
    dataFolder: values.data,
    onProgress: (step) => console.log(`  ${step} …`),
  })
  printNextSteps(demo)
  closeWithGrace({ delay: 10_000 }, async ({ err }) => {
    if (err !== undefined) console.error(err)
    console.log('\nStopping …')
    await demo.close()
    console.log('Stopped. "npm run demo" goes on where it was.')
  })
} catch (error) {
  console.error(`\nThe demo did not start. ${startFailure(error)}`)
  process.exit(1)
}
