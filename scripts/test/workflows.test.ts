import { globSync, readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { parse } from 'yaml'

interface Step {
  readonly uses?: string
  readonly run?: string
  readonly with?: Readonly<Record<string, unknown>>
}
interface Job {
  readonly uses?: string
  readonly permissions?: Readonly<Record<string, string>>
  readonly steps?: readonly Step[]
  readonly 'timeout-minutes'?: number
}
interface Workflow {
  readonly on: Readonly<Record<string, unknown>>
  readonly permissions?: unknown
  readonly jobs: Readonly<Record<string, Job>>
}

const FILES = globSync('.github/workflows/*.yml').toSorted()
const { scripts } = JSON.parse(readFileSync('package.json', 'utf8'))

/** What each job may change, and no other: everything else only reads the sources. */
const WRITES: Readonly<Record<string, readonly string[]>> = {
  'codeql.yml analyze': ['security-events'],
  'release.yml build': ['packages'],
  'release.yml images': ['packages', 'id-token'],
  'release.yml publish': ['contents', 'packages', 'id-token', 'attestations'],
  'scorecard.yml analyze': ['security-events', 'id-token'],
}

test.each(FILES)(
  '%s: its jobs may do what they need, and end; its actions cannot change',
  (file) => {
    const text = readFileSync(file, 'utf8')
    const { on, permissions, jobs }: Workflow = parse(text)
    // A token with rights over code that anybody may propose.
    expect(Object.keys(on)).not.toContain('pull_request_target')
    expect(permissions).toEqual({})
    for (const [name, job] of Object.entries(jobs)) {
      const place = `${file.split('/').at(-1)} ${name}`
      const writes = Object.entries(job.permissions ?? {}).filter(([, right]) => right === 'write')
      expect(
        writes.map(([what]) => what),
        place,
      ).toEqual(WRITES[place] ?? [])
      // Packages run what they like while they are installed.
      const runs = (job.steps ?? []).flatMap(({ run = [] }) => run).join('\n')
      if (writes.length > 0) expect(runs, place).not.toMatch(/npm (ci|i|install|test)|npx/)
      if (job.uses === undefined) expect(job['timeout-minutes'], place).toBeLessThanOrEqual(60)
      for (const { uses = '', with: inputs } of job.steps ?? []) {
        if (uses !== '') expect(uses).toMatch(/^[\w/-]+@[0-9a-f]{40}$/)
        if (uses.startsWith('actions/checkout@'))
          expect(inputs).toEqual({ 'persist-credentials': false })
      }
    }
    // The tag of a pinned action is read by people and by what updates it.
    for (const [line] of text.matchAll(/uses: \S+@.*/g))
      expect(line).toMatch(/^uses: \S+@[0-9a-f]{40} # v\d+\.\d+\.\d+$/)
  },
)

test('each npm script that a workflow runs exists, and no command is made of what others write', () => {
  const runs = FILES.flatMap((file) => {
    const { jobs }: Workflow = parse(readFileSync(file, 'utf8'))
    return Object.values(jobs).flatMap(({ steps = [] }) => steps.flatMap(({ run = [] }) => run))
  })
  const named = runs.flatMap((run) =>
    [...run.matchAll(/npm run (?:--silent )?([\w:-]+)/g)].map(([, name = '']) => name),
  )
  expect(new Set(named)).toEqual(new Set(['artifacts', 'sbom']))
  expect(named.filter((name) => !(name in scripts))).toEqual([])
  // Expressions come in as variables of the environment.
  expect(runs.filter((run) => run.includes('${{'))).toEqual([])
})

test('CI runs the test command of the README', () => {
  const { jobs }: Workflow = parse(readFileSync('.github/workflows/ci.yml', 'utf8'))
  const runs = jobs.test?.steps?.flatMap(({ run = [] }) => run) ?? []
  expect(runs).toEqual(['npm ci && npm test'])
  expect(readFileSync('README.md', 'utf8')).toContain('\nnpm ci && npm test\n')
})

test('the images of the workflow are the Dockerfiles, each for both processors', () => {
  const text = readFileSync('.github/workflows/release.yml', 'utf8')
  const files = [...text.matchAll(/image: ([a-z-]+), dockerfile: (\S+) \}/g)]
  expect(new Set(files.map(([, , path]) => path))).toEqual(
    new Set(globSync('{Dockerfile.*,gateway/*/Dockerfile}')),
  )
  expect(text).toContain('architecture: [amd64, arm64]')
})
