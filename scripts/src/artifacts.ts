import { execFile } from 'node:child_process'
import { hash } from 'node:crypto'
import {
  copyFileSync,
  cpSync,
  globSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { basename, join } from 'node:path'
import { promisify } from 'node:util'
import { VERSION } from 'gateway/version.ts'
import { buildConsole } from './build.ts'
import { buildGateway } from './build-gateway.ts'
import { command, RefusedError, runAsProcess } from './cli.ts'
import { readNotes } from './release.ts'
import { sbomOf } from './sbom.ts'
import { ARCHITECTURES, makeTarball, pack } from './tarball.ts'

const USAGE = `Usage:
  npm run artifacts -- [--tag vX.Y.Z] [--registry ghcr.io/OWNER]

Makes the files of a release in dist/release: the tarballs for x64 and arm64, the Helm chart, the compose files, the helpers
for bots as a package and as one Python file, the program that checks an export of the audit trail, a bill of materials for
each image, and SHA256SUMS of all. The notes of the version from CHANGELOG.md are written to dist/release-notes.txt. Images
are made by the workflow of the release.

  --tag       refuses unless it is the tag of the version in package.json, and the tree is that of the tag
  --registry  where the images are: chart and compose files then name them there. Without it there are no compose files`

const execute = promisify(execFile)
const FOLDER = 'dist/release'
/** The images, and the folder of each one's workspace. */
const IMAGES = {
  gateway: 'gateway',
  console: 'console',
  'paper-exchange': 'gateway/paper-exchange',
}

export const run = command({
  usage: USAGE,
  options: { tag: { type: 'string' }, registry: { type: 'string' } },
  async run({ tag, registry }, _positionals, { console }) {
    if (tag !== undefined && tag !== `v${VERSION}`)
      throw new RefusedError(`The tag is ${tag}, and package.json has the version ${VERSION}`)
    if (tag !== undefined) await requireTreeOf(tag)
    if (registry !== undefined && !/^[a-z0-9.-]+(:\d+)?(\/[a-z0-9._-]+)*$/.test(registry))
      throw new RefusedError(`--registry is "${registry}"; it should look like ghcr.io/owner`)
    rmSync(FOLDER, { recursive: true, force: true })
    mkdirSync(FOLDER, { recursive: true })
    await buildConsole()
    await buildGateway()
    for (const arch of ARCHITECTURES) await makeTarball(arch, FOLDER)
    await packDeployments(FOLDER, registry)
    await execute('npm', ['pack', './docs/bots', `--pack-destination=${FOLDER}`])
    // Each is complete by itself.
    for (const path of ['docs/bots/sluice.py', 'scripts/src/verify-audit.ts'])
      copyFileSync(path, join(FOLDER, basename(path)))
    for (const [image, workspace] of Object.entries(IMAGES)) {
      const file = join(FOLDER, `sluice-${image}-${VERSION}.cdx.json`)
      writeFileSync(file, `${JSON.stringify(sbomOf(workspace), null, 2)}\n`)
    }
    writeFileSync(
      'dist/release-notes.txt',
      readNotes(readFileSync('CHANGELOG.md', 'utf8'), VERSION),
    )
    writeFileSync(join(FOLDER, 'SHA256SUMS'), checksumsOf(FOLDER))
    for (const file of readdirSync(FOLDER)) console.log(join(FOLDER, file))
    return 0
  },
})

/** Files of another tree would have the number of the release. @throws RefusedError */
async function requireTreeOf(tag: string): Promise<void> {
  const git = async (...args: string[]) => (await execute('git', args)).stdout.trim()
  const [head, tagged] = [await git('rev-parse', 'HEAD'), await git('rev-list', '-1', tag, '--')]
  const changed = await git('status', '--porcelain')
  if (head !== tagged) throw new RefusedError(`${tag} is ${tagged}, and the tree is at ${head}`)
  if (changed !== '') throw new RefusedError(`The tree is not that of ${tag}:\n${changed}`)
}

/** The Helm chart and the compose files, which name the images of a registry where there is one. */
export async function packDeployments(to: string, registry: string | undefined): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), 'sluice-artifacts-'))
  try {
    cpSync('deploy/helm/sluice', join(folder, 'sluice'), { recursive: true })
    if (registry !== undefined)
      edit(join(folder, 'sluice/values.yaml'), (text) =>
        text.replaceAll(
          /(repository: )(sluice-[a-z]+), tag: ''/g,
          `$1${registry}/$2, tag: ${VERSION}`,
        ),
      )
    await pack(folder, 'sluice', join(to, `sluice-chart-${VERSION}.tgz`))
    if (registry === undefined) return
    const name = `sluice-${VERSION}-compose`
    for (const path of ['.env.example', 'LICENSE', 'CHANGELOG.md', ...globSync('compose*.yaml')])
      cpSync(path, join(folder, name, path))
    for (const path of ['Caddyfile', 'Caddyfile.ha', 'backup.sh'])
      cpSync(join('deploy', path), join(folder, name, 'deploy', path))
    for (const path of globSync(join(folder, name, 'compose*.yaml')))
      edit(path, (text) => withPulledImages(text, registry))
    await pack(folder, name, join(to, `${name}.tar.gz`))
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

/** A compose file that builds nothing: it takes the images of this version from the registry. */
function withPulledImages(text: string, registry: string): string {
  return text
    .replaceAll(/^ *(# Built here when|pull_policy: never|build: ).*\n/gm, '')
    .replaceAll(/(image: )(sluice-[a-z-]+)$/gm, `$1${registry}/$2:${VERSION}`)
}

function edit(path: string, change: (text: string) => string): void {
  writeFileSync(path, change(readFileSync(path, 'utf8')))
}

/** As `sha256sum --check` reads it. */
function checksumsOf(folder: string): string {
  return readdirSync(folder)
    .toSorted()
    .map((name) => `${hash('sha256', readFileSync(join(folder, name)))}  ${name}\n`)
    .join('')
}

await runAsProcess(import.meta, run)
