import { resolve } from 'node:path'
import { chromium } from '@playwright/test'
import { buildConsole } from '../build-console.ts'
import { findBrowser, provideBrowser } from '../find-browser.ts'
import { loseResponse, makeTraffic } from './make-traffic.ts'
import { seedClients } from './seed-clients.ts'
import { shots } from './shots.ts'
import { startWorld } from './start-world.ts'
import { takePictures } from './take-pictures.ts'

export interface ScreenshotOptions {
  /** The folder of the pictures. */
  readonly out: string
  /** Only shots whose name holds this. */
  readonly only: string
  /** Whether the pictures of the README are renewed. */
  readonly keep: boolean
}

/** Starts gateways, makes something to see, and takes the pictures. */
export async function runScreenshots(
  { out, only, keep }: ScreenshotOptions,
  print: (line: string) => void,
): Promise<void> {
  const say = (line: string) => print(`  ${line} …`)
  const startedAtMs = Date.now()
  await provideBrowser()
  say('building the console')
  const dist = await buildConsole()

  say('starting two gateways, one of them to stay empty')
  await using closing = new AsyncDisposableStack()
  const world = await startWorld(dist)
  closing.defer(() => world.close())
  const empty = await startWorld(dist)
  closing.defer(() => empty.close())

  say('making clients, keys and requests')
  const bots = await seedClients(world)
  const { admin } = world
  const gridBot = await admin.token(bots.gridBot)
  await makeTraffic(world, {
    gridBot,
    arbitrage: await admin.token(bots.arbitrage),
    marketMaker: await admin.token(bots.marketMaker),
  })
  await loseResponse(world, gridBot)

  const executablePath = findBrowser()
  const browser = await chromium.launch(executablePath ? { executablePath } : {})
  closing.defer(() => browser.close())
  const count = await takePictures({
    browser,
    scene: { world, bots },
    empty,
    shots: shots.filter(({ name }) => name.includes(only)),
    folder: resolve(out),
    keepIn: keep ? resolve('docs/images') : undefined,
    onProgress: say,
  })
  const seconds = Math.round((Date.now() - startedAtMs) / 1000)
  print(`${count} pictures in ${out}, ${seconds} s`)
}
