import { randomBytes } from 'node:crypto'
import { closeOnSignal } from 'gateway/close-on-signal.ts'
import { toTable } from './bench/table.ts'
import { runCommand } from './cli.ts'
import { buildImage, IMAGES, type ImageName, pullBases } from './verify-images/build-images.ts'
import type { Check } from './verify-images/check.ts'
import { findCompose } from './verify-images/compose.ts'
import { createConsoleChecks } from './verify-images/console-checks.ts'
import { containerChecks, contentChecks } from './verify-images/container-checks.ts'
import { type Engine, findEngine } from './verify-images/engine.ts'
import { createGroupInstallation } from './verify-images/group-checks.ts'
import { createDemo, createInstallation } from './verify-images/project-checks.ts'
import { startWorld } from './verify-images/start-world.ts'
import { createTradingChecks } from './verify-images/trading-checks.ts'

const USAGE = `Usage:
  npm run verify-images [-- --no-build]

Builds the images of gateway, paper exchange and console, runs them, and checks that they keep their promises. Then
starts compose.demo.yaml, and compose.yaml and compose.ha.yaml on localhost, and uses them as docs/operations describes. Uses
docker or podman, whichever responds, with docker compose or podman-compose.

  --no-build          check the images sluice-gateway, sluice-paper-exchange and sluice-console as they are
  IMAGE_BUILD_FLAGS   environment variable: more flags for the build command, separated by spaces, for example a
                      --volume with a certificate authority that npm must trust on this machine`

const COLUMNS = ['promise', 'kept', 'found']
const rows: string[][] = [COLUMNS]
let isKept = true

await runCommand({
  usage: USAGE,
  options: { 'no-build': { type: 'boolean', default: false } },
  run: (values) => verify(!values['no-build']),
})

async function verify(isToBuild: boolean): Promise<number> {
  const engine = await findEngine()
  if (isToBuild) await build(engine)
  const password = randomBytes(12).toString('base64url')
  try {
    await verifyImages(engine, password)
    await verifyComposeFiles(engine, password)
  } finally {
    console.log(`\n${toTable(rows)}\n`)
  }
  return isKept ? 0 : 1
}

async function build(engine: Engine): Promise<void> {
  const given = (process.env.IMAGE_BUILD_FLAGS ?? '').split(' ').filter((flag) => flag !== '')
  const flags = [...(await pullBases(engine, (line) => console.log(line))), ...given]
  for (const name of Object.keys(IMAGES) as ImageName[]) {
    console.log(`Building ${IMAGES[name].tag} with ${engine.name} …`)
    const { seconds, megabytes } = await buildImage(engine, name, flags)
    rows.push([`${name}: builds`, 'yes', `${megabytes} MB, in ${seconds} s`])
  }
}

async function verifyImages(engine: Engine, password: string): Promise<void> {
  const world = await startWorld(engine)
  const checks = [
    ...containerChecks,
    ...contentChecks,
    ...createTradingChecks(password),
    ...createConsoleChecks(password),
  ]
  await closing(world, () => runAll(checks, world))
}

async function verifyComposeFiles(engine: Engine, password: string): Promise<void> {
  const compose = await findCompose(engine)
  if (compose === undefined) {
    const what = engine.name === 'docker' ? 'docker compose' : 'podman-compose'
    skip(
      'compose.demo.yaml, compose.yaml and compose.ha.yaml',
      `there is no ${what} on this machine`,
    )
    return
  }
  for (const open of [createDemo, createInstallation, createGroupInstallation]) {
    const { project, checks } = await open(engine, compose, password)
    await closing(project, () => runAll(checks, undefined))
  }
}

function skip(promise: string, why: string): void {
  rows.push([promise, 'skipped', why])
  console.log(`${promise}: skipped, ${why}`)
}

async function runAll<Of>(checks: readonly Check<Of>[], world: Of): Promise<void> {
  for (const { promise, run } of checks) {
    try {
      rows.push([promise, 'yes', await run(world)])
    } catch (error) {
      isKept = false
      rows.push([promise, 'NO', error instanceof Error ? error.message : String(error)])
    }
    console.log(rows.at(-1)?.slice(0, 2).join(': '))
  }
}

/** Closes what is open after the work, also when Ctrl-C ends it. */
async function closing(open: { close(): Promise<void> }, work: () => Promise<void>): Promise<void> {
  const stopListening = closeOnSignal({ close: () => open.close(), withinMs: 60_000 })
  try {
    await work()
  } finally {
    stopListening()
    await open.close()
  }
}
