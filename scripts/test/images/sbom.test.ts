import { execFile } from 'node:child_process'
import { cpSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { promisify } from 'node:util'
import { expect, test } from 'vitest'
import { tempFolder } from '../../../gateway/test/support/temp-folder.ts'
import { readStages, textsOf } from './dockerfile.ts'

const execute = promisify(execFile)
const OWN = ['gateway', 'schema', 'console', 'paper-exchange', 'scripts']

interface Component {
  readonly name: string
  readonly version: string
  readonly purl: string
  readonly hashes?: readonly object[]
}
interface Listed {
  readonly version?: string
  readonly dependencies?: Readonly<Record<string, Listed>>
}

/** A folder with what the image build of the console has when it makes its bill of materials. */
function likeTheImageBuild(): string {
  const folder = tempFolder()
  const files = [
    ...textsOf(readStages('Dockerfile.console')[0], 'COPY').flatMap((copy) => copy.split(' ')),
    ...['console', 'gateway', 'gateway/paper-exchange', 'schema', 'scripts'].map(
      (workspace) => `${workspace}/package.json`,
    ),
  ].filter((file) => /package(-lock)?\.json$|\.npmrc$|scripts\/src\/.*\.ts$/.test(file))
  for (const file of files) cpSync(file, join(folder, dirname(file), file.split('/').at(-1) ?? ''))
  return folder
}

/** By npm's own listing, which is made of other code than its bill of materials. */
async function listedByNpm(workspace: string): Promise<string[]> {
  const args = ['ls', '--workspace', workspace, '--omit=dev', '--package-lock-only', '--all']
  const { stdout } = await execute('npm', [...args, '--json'], { maxBuffer: 64 * 1024 * 1024 })
  const found = new Set<string>()
  const walk = ({ dependencies = {} }: Listed) => {
    for (const [name, listed] of Object.entries(dependencies)) {
      if (listed.version !== undefined && !OWN.includes(name))
        found.add(`${name}@${listed.version}`)
      walk(listed)
    }
  }
  walk(JSON.parse(stdout))
  return [...found].sort()
}

test.each([
  { workspace: 'gateway', file: 'Dockerfile.gateway', stage: 0, path: '/app/sbom.cdx.json' },
  {
    ...{ workspace: 'console', file: 'Dockerfile.console', stage: 0 },
    path: '/usr/share/doc/sluice/sbom.cdx.json',
  },
])(
  'the image of the $workspace has exactly its production packages in its bill of materials',
  async (image) => {
    const { workspace, file, stage, path } = image
    const stages = readStages(file)
    const run = `npm run --silent sbom -- ${workspace}`
    expect(textsOf(stages[stage], 'RUN')).toContain(`${run} > sbom.cdx.json`)
    expect(textsOf(stages.at(-1), 'LABEL').join(' ')).toContain(`sluice.sbom="${path}"`)

    const [command = '', ...args] = run.split(' ')
    const { stdout } = await execute(command, args, {
      cwd: likeTheImageBuild(),
      env: { PATH: `${process.cwd()}/node_modules/.bin:${process.env.PATH}`, HOME: tempFolder() },
      maxBuffer: 64 * 1024 * 1024,
    })
    const bom = JSON.parse(stdout)
    expect(bom).toMatchObject({
      bomFormat: 'CycloneDX',
      specVersion: expect.stringMatching(/^1\./),
    })
    const components = bom.components as Component[]
    const foreign = components.filter(({ name }) => !OWN.includes(name))
    expect(foreign.map(({ name, version }) => `${name}@${version}`).sort()).toEqual(
      await listedByNpm(workspace),
    )
    // With what anybody can compare: the integrity hashes of the lock file.
    for (const { purl, hashes } of foreign)
      expect([purl, hashes]).toEqual([purl, [expect.anything()]])
  },
)

test('the bill of materials of the gateway has its packages that others use for development', () => {
  const { dependencies } = JSON.parse(readFileSync('gateway/package.json', 'utf8'))
  const { devDependencies } = JSON.parse(readFileSync('package.json', 'utf8'))
  expect(Object.keys(dependencies).filter((name) => name in devDependencies)).not.toEqual([])
})
