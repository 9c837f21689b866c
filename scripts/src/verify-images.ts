import { randomBytes } from 'node:crypto'
import { toTable } from './bench/figure.ts'
import { type Call, command, type Io, runAsProcess } from './cli.ts'
import {
  containerChecks,
  contentChecks,
  createConsoleChecks,
  createTradingChecks,
} from './verify-images/container-checks.ts'
import {
  buildImage,
  type Engine,
  findCompose,
  findEngine,
  IMAGES,
  type ImageName,
  pullBases,
} from './verify-images/engine.ts'
import { createGroupInstallation } from './verify-images/group-checks.ts'
import { createDemo, createInstallation } from './verify-images/project-checks.ts'
import { type Check, startWorld } from './verify-images/world.ts'

const USAGE = `Usage:
  npm run verify-images [-- --no-build]

Builds the images of gateway, paper exchange and console, runs them, and checks that they keep their promises. Then
starts compose.demo.yaml, and compose.yaml and compose.ha.yaml on localhost, and uses them as docs/operations describes. Uses
docker or podman, whichever responds, with docker compose or podman-compose.

  --no-build          check the images sluice-gateway, sluice-paper-exchange and sluice-console as they are
  IMAGE_BUILD_FLAGS   environment variable: more flags for the build command, separated by spaces, for example a
                      --volume with a certificate authority that npm must trust on this machine`

/** A row for each promise, and whether all of them are kept. */
interface Report {
  readonly rows: string[][]
  isKept: boolean
}

/** What the parts share. */
interface Verification extends Call {
  readonly engine: Engine
  readonly password: string
  readonly report: Report
}

export const run = command({
  usage: USAGE,
  options: { 'no-build': { type: 'boolean', default: false } },
  async run(values, _positionals, call) {
    const report: Report = { rows: [['promise', 'kept', 'found']], isKept: true }
    const password = randomBytes(12).toString('base64url')
    const verification = { ...call, engine: await findEngine(), password, report }
    if (!values['no-build']) await build(verification)
    try {
      await verifyImages(verification)
      await verifyComposeFiles(verification)
    } finally {
      call.console.log(`\n${toTable(report.rows)}\n`)
    }
    return report.isKept ? 0 : 1
  },
})

async function build({ engine, env, console, report }: Verification): Promise<void> {
  const given = (env.IMAGE_BUILD_FLAGS ?? '').split(' ').filter((flag) => flag !== '')
  const flags = [...(await pullBases(engine, (line) => console.log(line))), ...given]
  for (const name of Object.keys(IMAGES) as ImageName[]) {
    console.log(`Building ${IMAGES[name].tag} with ${engine.name} …`)
    const { seconds, megabytes } = await buildImage(engine, name, flags)
    report.rows.push([`${name}: builds`, 'yes', `${megabytes} MB, in ${seconds} s`])
  }
}

async function verifyImages(verification: Verification): Promise<void> {
  const { engine, password, io } = verification
  const world = await startWorld(engine)
  const checks = [
    ...containerChecks,
    ...contentChecks,
    ...createTradingChecks(password),
    ...createConsoleChecks(password),
  ]
  await closing(io, world, () => runAll(verification, checks, world))
}

async function verifyComposeFiles(verification: Verification): Promise<void> {
  const { engine, password, io } = verification
  const compose = await findCompose(engine)
  if (compose === undefined) {
    const what = engine.name === 'docker' ? 'docker compose' : 'podman-compose'
    skip(
      verification,
      'compose.demo.yaml, compose.yaml and compose.ha.yaml',
      `there is no ${what} on this machine`,
    )
    return
  }
  for (const open of [createDemo, createInstallation, createGroupInstallation]) {
    const { project, checks } = await open(engine, compose, password)
    await closing(io, project, () => runAll(verification, checks, undefined))
  }
}

function skip({ console, report }: Verification, promise: string, why: string): void {
  report.rows.push([promise, 'skipped', why])
  console.log(`${promise}: skipped, ${why}`)
}

async function runAll<Of>(
  { console, report }: Verification,
  checks: readonly Check<Of>[],
  world: Of,
): Promise<void> {
  for (const { promise, run: check } of checks) {
    try {
      report.rows.push([promise, 'yes', await check(world)])
    } catch (error) {
      report.isKept = false
      report.rows.push([promise, 'NO', error instanceof Error ? error.message : String(error)])
    }
    console.log(report.rows.at(-1)?.slice(0, 2).join(': '))
  }
}

/** Closes what is open after the work, also when Ctrl-C ends it. */
async function closing(
  { closeOnSignal }: Io,
  open: { close(): Promise<void> },
  work: () => Promise<void>,
): Promise<void> {
  const stopListening = closeOnSignal({ close: () => open.close(), withinMs: 60_000 })
  try {
    await work()
  } finally {
    stopListening()
    await open.close()
  }
}

await runAsProcess(import.meta, run)
