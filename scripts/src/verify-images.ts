import { randomBytes } from 'node:crypto'
import closeWithGrace from 'close-with-grace'
import { toTable } from './bench/table.ts'
import { runCommand } from './cli.ts'
import { buildImage, IMAGES, type ImageName, pullBases } from './verify-images/build-images.ts'
import { createConsoleChecks } from './verify-images/console-checks.ts'
import { containerChecks, contentChecks } from './verify-images/container-checks.ts'
import { findEngine } from './verify-images/engine.ts'
import { openWorld } from './verify-images/open-world.ts'
import { createTradingChecks } from './verify-images/trading-checks.ts'

const USAGE = `Usage:
  npm run verify-images [-- --no-build]

Builds the images of gateway and console, runs them with a paper exchange as the compose files do, and checks that
they keep their promises. Takes docker or podman, whichever answers.

  --no-build          check the images sluice-gateway and sluice-console as they are
  IMAGE_BUILD_FLAGS   environment: more flags for the build command, separated by spaces, for instance a
                      --volume with a certificate authority that npm has to trust on this machine`

await runCommand({
  usage: USAGE,
  options: { 'no-build': { type: 'boolean', default: false } },
  run: (values) => verify(!values['no-build']),
})

async function verify(isToBuild: boolean): Promise<number> {
  const engine = await findEngine()
  const rows: string[][] = [['promise', 'kept', 'found']]
  const flags = (process.env.IMAGE_BUILD_FLAGS ?? '').split(' ').filter((flag) => flag !== '')
  if (isToBuild) await pullBases(engine, (line) => console.log(line))
  for (const name of isToBuild ? (Object.keys(IMAGES) as ImageName[]) : []) {
    console.log(`Building ${IMAGES[name]} with ${engine.name} …`)
    const { seconds, megabytes } = await buildImage(engine, name, flags)
    rows.push([`${name}: builds`, 'yes', `${megabytes} MB, in ${seconds} s`])
  }

  const password = randomBytes(12).toString('base64url')
  const world = await openWorld(engine)
  const interrupted = closeWithGrace({ delay: 60_000 }, () => world.close())
  let isKept = true
  try {
    for (const { promise, run } of [
      ...containerChecks,
      ...contentChecks,
      ...createTradingChecks(password),
      ...createConsoleChecks(password),
    ]) {
      try {
        rows.push([promise, 'yes', await run(world)])
      } catch (error) {
        isKept = false
        rows.push([promise, 'NO', error instanceof Error ? error.message : String(error)])
      }
      console.log(rows.at(-1)?.slice(0, 2).join(': '))
    }
  } finally {
    interrupted.uninstall()
    console.log(`\n${toTable(rows)}\n`)
    await world.close()
  }
  return isKept ? 0 : 1
}
