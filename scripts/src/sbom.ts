import { execFileSync } from 'node:child_process'
import { folderName, productionFolders, readLock } from './lock-file.ts'

const USAGE = `Usage:
  npm run --silent sbom -- WORKSPACE > sbom.cdx.json

Prints the software bill of materials of a workspace (gateway, console) as CycloneDX: "npm sbom" of the lock file, reduced
to the workspace and what is installed for it without development dependencies. The images of gateway and console contain theirs.`

interface Bom {
  readonly components: readonly { readonly 'bom-ref': string }[]
  readonly dependencies: readonly { readonly ref: string; readonly dependsOn: readonly string[] }[]
}

// Without what the other commands share: the image build of the console has these two files alone.
const [workspace] = process.argv.slice(2)
if (workspace === '--help' || workspace === '-h') console.log(USAGE)
else if (workspace === undefined) {
  console.error(USAGE)
  process.exitCode = 2
} else console.log(JSON.stringify(sbomOf(workspace), null, 2))

/**
 * `npm sbom --omit=dev` is not used: it also leaves out what production needs when another package
 * has it as a development dependency (npm 11.19: better-sqlite3, undici).
 */
function sbomOf(workspace: string): Bom {
  const args = ['sbom', '--package-lock-only', '--sbom-format=cyclonedx', '--workspace', workspace]
  const text = execFileSync('npm', args, {
    encoding: 'utf8',
    maxBuffer: 64 * 1024 * 1024,
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  const bom = JSON.parse(text) as Bom
  const lock = readLock()
  const kept = new Set(
    [...productionFolders(lock, workspace)].map((folder) => {
      const { name = folderName(folder), version } = lock[folder] ?? {}
      return `${name}@${version}`
    }),
  )
  return {
    ...bom,
    components: bom.components.filter((component) => kept.has(component['bom-ref'])),
    dependencies: bom.dependencies
      .filter(({ ref }) => kept.has(ref))
      .map(({ ref, dependsOn }) => ({ ref, dependsOn: dependsOn.filter((one) => kept.has(one)) })),
  }
}
