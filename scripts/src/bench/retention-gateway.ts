import { buildApp } from 'gateway/app.ts'
import { closeOnSignal } from 'gateway/close-on-signal.ts'
import { readConfig } from 'gateway/config.ts'
import { loggerOptions } from 'gateway/http/logging.ts'

// The gateway as main.ts starts it, but it removes old rows at once: main.ts begins after a minute.
const config = readConfig(process.env)
const app = await buildApp(config, {
  logger: loggerOptions(config.logLevel),
  housekeeping: { firstAfterMs: 0 },
})
closeOnSignal({ close: () => app.close(), withinMs: 30_000, log: app.log })
await app.listen(config.listen)
