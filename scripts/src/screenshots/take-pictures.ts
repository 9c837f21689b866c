import { mkdir } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import {
  type Browser,
  type BrowserContext,
  type BrowserContextOptions,
  chromium,
  type Page,
} from '@playwright/test'
import { buildConsole } from '../build.ts'
import { findBrowser, provideBrowser } from '../provide-tools.ts'
import { type Scene, type Scheme, type Shot, shots, type Width } from './shots.ts'
import { loseResponse, makeTraffic, seedClients, startWorld, type World } from './world.ts'

interface ScreenshotOptions {
  /** The folder of the pictures. */
  readonly out: string
  /** Only shots whose name holds this. */
  readonly only: string
  /** Whether the pictures of the documents are renewed. */
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

interface TakePicturesOptions {
  readonly browser: Browser
  readonly scene: Scene
  /** A gateway that nobody used yet. */
  readonly empty: World
  readonly shots: readonly Shot[]
  readonly folder: string
  /** Folder of the pictures that shots keep; undefined: none is kept. */
  readonly keepIn: string | undefined
  readonly onProgress: (line: string) => void
}

const SCHEMES: readonly Scheme[] = ['light', 'dark']
const SIZES: Readonly<Record<Width, { width: number; height: number }>> = {
  wide: { width: 1280, height: 800 },
  narrow: { width: 360, height: 740 },
}

/** What is wanted is in the page by then, but not always painted. */
const PAINT_MS = 150

/** Takes every shot in both schemes and at both widths; returns how many pictures there are. */
async function takePictures(options: TakePicturesOptions): Promise<number> {
  const { shots, folder, onProgress } = options
  await mkdir(folder, { recursive: true })
  let count = 0
  for (const width of ['wide', 'narrow'] as const) {
    for (const scheme of SCHEMES) {
      onProgress(`${scheme}, ${SIZES[width].width} px`)
      const contexts = await createContexts(options, scheme, width)
      for (const shot of shots) await takeOne(options, contexts, shot, scheme, width)
      for (const context of Object.values(contexts)) await context.close()
      count += shots.length
    }
  }
  return count
}

type Contexts = Record<NonNullable<Shot['in']>, BrowserContext>

async function createContexts(
  { browser, scene, empty }: TakePicturesOptions,
  colorScheme: Scheme,
  width: Width,
): Promise<Contexts> {
  const open = (world: World, session: BrowserContextOptions) =>
    browser.newContext({
      ...session,
      baseURL: world.consoleUrl,
      colorScheme,
      viewport: SIZES[width],
      reducedMotion: 'reduce',
      locale: 'en-US',
      timezoneId: 'Europe/Berlin',
    })
  return {
    seeded: await open(scene.world, storedSession(scene.world)),
    empty: await open(empty, storedSession(empty)),
    'signed-out': await open(scene.world, {}),
  }
}

async function takeOne(
  { scene, folder, keepIn }: TakePicturesOptions,
  contexts: Contexts,
  shot: Shot,
  scheme: Scheme,
  width: Width,
): Promise<void> {
  const page = await contexts[shot.in ?? 'seeded'].newPage()
  try {
    await page.goto(shot.address)
    await page.getByRole('heading', { level: 1 }).waitFor()
    await page.waitForLoadState('networkidle')
    await shot.prepare?.(page, scene)
    await page.waitForTimeout(PAINT_MS)
    const { keep } = shot
    if (keepIn !== undefined && keep?.scheme === scheme && keep.width === width)
      await page.screenshot({ path: join(keepIn, keep.as) })
    if (shot.isInSight !== true) await growToContent(page)
    await page.screenshot({ path: join(folder, `${shot.name}-${scheme}-${width}.png`) })
    await shot.tidy?.(page, scene)
  } catch (cause) {
    const why = cause instanceof Error ? cause.message : String(cause)
    throw new Error(`"${shot.name}" (${scheme}, ${width}): ${why}`, { cause })
  } finally {
    await page.close()
  }
}

/** Signed in, as after the sign-in of a day before. */
function storedSession({ consoleUrl, session }: World): BrowserContextOptions {
  const localStorage = [
    { name: 'authToken', value: session.token },
    { name: 'user', value: JSON.stringify(session.user) },
  ]
  return { storageState: { cookies: [], origins: [{ origin: consoleUrl, localStorage }] } }
}

// A screen as tall as the page: what is painted only in sight is painted, and the sidebar reaches
// the end.
async function growToContent(page: Page): Promise<void> {
  const size = page.viewportSize()
  const height = Math.ceil((await page.locator('body').boundingBox())?.height ?? 0)
  if (size === null || height <= size.height) return
  await page.setViewportSize({ width: size.width, height })
  await page.waitForTimeout(PAINT_MS)
}
