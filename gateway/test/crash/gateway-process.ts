import { once } from 'node:events'
import { buildApp } from '../../src/app.ts'
import { readConfig } from '../../src/config.ts'
import { loggerOptions } from '../../src/http/logging.ts'

// The gateway as main.ts starts it, but for three things that would make a run of many crashes take
// hours: it asks about orders of unknown outcome at short intervals, its lanes start at once, and
// it opens nothing before it gets a line on stdin, so that the next process is loaded while this
// one still works.
await once(process.stdin, 'data')
process.stdin.unref()
const config = readConfig(process.env)
const app = await buildApp(config, {
  logger: loggerOptions(config.logLevel),
  laneStartDelayMs: 0,
  reconcile: { callerPausesMs: [5, 20, 80], backgroundPausesMs: [100, 200, 400] },
})
await app.listen(config.listen)
