import { resolve } from 'node:path'
import { parseArgs } from 'node:util'
import { chromium } from '@playwright/test'
import { buildConsole } from './build-console.ts'
import { requireNode24, startFailure } from './cli.ts'
import { findBrowser, provideBrowser } from './find-browser.ts'
import { makeTraffic } from './screenshots/make-traffic.ts'
import { openWorld } from './screenshots/open-world.ts'
import { seedClients } from './screenshots/seed-clients.ts'
import { shots } from './screenshots/shots.ts'
import { takePictures } from './screenshots/take-pictures.ts'

requireNode24()
const { values } = parseArgs({
  options: {
    out: { type: 'string', default: '.cache/screenshots' },
    /** Only shots whose name holds this. */
    only: { type: 'string', default: '' },
    /** Renews the pictures of the README. */
    keep: { type: 'boolean', default: false },
  },
})
const say = (line: string) => console.log(`  ${line} …`)
const startedAtMs = Date.now()

try {
  provideBrowser()
  say('building the console')
  const dist = await buildConsole()

  say('starting two gateways, one of them to stay empty')
  await using closing = new AsyncDisposableStack()
  const world = await openWorld(dist)
  closing.defer(() => world.close())
  const empty = await openWorld(dist)
  closing.defer(() => empty.close())

  say('making clients, keys and requests')
  const bots = await seedClients(world)
  const { admin } = world
  await makeTraffic(world, {
    gridBot: await admin.token(bots.gridBot),
    arbitrage: await admin.token(bots.arbitrage),
    marketMaker: await admin.token(bots.marketMaker),
  })

  const executablePath = findBrowser()
  const browser = await chromium.launch(executablePath ? { executablePath } : {})
  closing.defer(() => browser.close())
  const count = await takePictures({
    browser,
    scene: { world, bots },
    empty,
    shots: shots.filter(({ name }) => name.includes(values.only)),
    folder: resolve(values.out),
    keepIn: values.keep ? resolve('docs/images') : undefined,
    onProgress: say,
  })
  const seconds = Math.round((Date.now() - startedAtMs) / 1000)
  console.log(`${count} pictures in ${values.out}, ${seconds} s`)
} catch (error) {
  console.error(`\nThe pictures were not taken. ${startFailure(error)}`)
  process.exitCode = 1
}
