import { globSync, readFileSync, statSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { expect, test } from 'vitest'
import { readDocuments } from '../../../console/build/site/pages.ts'
import { importsIn } from '../imports/places.ts'
import { isIgnored, reachedFrom, readStages, textsOf } from './dockerfile.ts'

const GATEWAY = 'Dockerfile.gateway'
const PAPER = 'gateway/paper-exchange/Dockerfile'
const FILES = [GATEWAY, PAPER, 'Dockerfile.console'] as const

test.each(FILES)('%s: nothing in it runs as root', (file) => {
  const user = textsOf(readStages(file).at(-1), 'USER').at(-1)
  expect(user).toMatch(/^(node|[1-9]\d*)$/)
})

test.each(FILES)('%s: the process gets its signals itself, and its health can be asked', (file) => {
  const last = readStages(file).at(-1)
  const start = [...textsOf(last, 'ENTRYPOINT'), ...textsOf(last, 'CMD')]
  expect(start.map((text) => JSON.parse(text))).toEqual([expect.any(Array)])
  expect(textsOf(last, 'HEALTHCHECK')).toHaveLength(1)
  expect(textsOf(last, 'STOPSIGNAL')).toHaveLength(1)
})

test.each(FILES)('%s: packages come from the lock file, without those for development', (file) => {
  const installs = readStages(file)
    .flatMap((stage) => textsOf(stage, 'RUN'))
    .filter((run) => /\bnpm (?!run )/.test(run))
  expect(installs).not.toEqual([])
  for (const install of installs)
    expect(install).toMatch(/^npm ci --workspace [\w-]+ --omit=dev --ignore-scripts/)
})

test.each(FILES)('%s: no secret is built in', (file) => {
  const names = readStages(file).flatMap((stage) => [
    ...textsOf(stage, 'ARG'),
    ...textsOf(stage, 'ENV'),
  ])
  expect(names.join(' ')).not.toMatch(/KEY|SECRET|PASSWORD|TOKEN/i)
})

test('only listed files reach a build: no data, no settings, no keys', () => {
  const rules = readFileSync('.dockerignore', 'utf8')
    .split('\n')
    .filter((line) => line !== '' && !line.startsWith('#'))
  expect(rules[0]).toBe('*')
  const allowed = rules.filter((rule) => rule.startsWith('!'))
  expect(allowed.join(' ')).not.toMatch(/data|\.env|keys|\*\*|test/)
})

// A rule for a folder (docs/bots) does not let in a file that begins like it (docs/bots.md).
test.each(FILES)('%s: all that it copies reaches the build', (file) => {
  const allowed = readFileSync('.dockerignore', 'utf8')
    .split('\n')
    .filter((line) => line.startsWith('!'))
    .map(
      (line) =>
        new RegExp(`^${line.slice(1).replaceAll('.', '\\.').replaceAll('*', '[^/]*')}(/|$)`),
    )
  const copied = readStages(file)
    .flatMap((stage) => textsOf(stage, 'COPY'))
    .filter((copy) => !copy.startsWith('--from='))
    .flatMap((copy) =>
      copy
        .split(' ')
        .filter((part) => !part.startsWith('--'))
        .slice(0, -1),
    )
  expect(copied).toContain('package.json')
  for (const path of copied) {
    const within = statSync(path).isDirectory()
      ? globSync(`${path}/**`, { exclude: ['**/node_modules/**'] })
      : []
    const sent = [path, ...within].filter((one) => allowed.some((rule) => rule.test(one)))
    expect(sent, path).not.toEqual([])
  }
})

const COMMANDS = [
  ...['start', 'admin', 'backup', 'restore', 'salvage', 'migrate-store', 'rotate-key', 'doctor'],
]
const { scripts } = JSON.parse(readFileSync('package.json', 'utf8'))
const operators = COMMANDS.filter((name) => name in scripts)

test.each(operators)('npm run %s has all that it needs in the gateway image', (name) => {
  const entry = String(scripts[name]).split(' ').at(-1) ?? ''
  const { files, packages } = reachedFrom(entry)
  expect(files.filter((file) => !isIn(GATEWAY, file))).toEqual([])
  expect(packages).toEqual(dependenciesAmong(packages, 'gateway/package.json'))
})

test('the gateway image runs the bundle, and builds it with all that this needs', () => {
  const stages = readStages(GATEWAY)
  const [command = ''] = textsOf(stages.at(-1), 'CMD')
  expect(JSON.parse(command).at(-1)).toBe('gateway/dist/bundle/main.js')
  expect(textsOf(stages.at(-1), 'COPY')).toContain('--from=bundle /app/gateway/dist gateway/dist')
  expect(textsOf(stages[0], 'RUN').join('\n')).toContain('npm run build -- gateway')
  // The build starts the bundle, to compile it, on a database that it makes.
  for (const stage of [stages[0], stages.at(-1)])
    expect(textsOf(stage, 'COPY')).toContain('gateway/drizzle gateway/drizzle')
  // What Node compiled while it was built is found by the same user in the same folder.
  expect(textsOf(stages[0], 'USER')).toEqual(textsOf(stages.at(-1), 'USER'))
  expect(textsOf(stages.at(-1), 'ENV').join(' ')).toContain(
    'NODE_COMPILE_CACHE=/app/gateway/dist/bundle/cache',
  )
  const { files, packages } = reachedFrom('scripts/src/build.ts')
  const built = [...files, ...reachedFrom('gateway/src/main.ts').files]
  expect(built.filter((file) => !isIn(GATEWAY, file, 0))).toEqual([])
  // The scripts' own, and those of the gateway, which is one of them.
  const scripts = dependenciesAmong(packages, 'scripts/package.json')
  const gateway = dependenciesAmong(packages, 'gateway/package.json')
  expect(scripts).toContain('vite')
  expect(packages.filter((name) => ![...scripts, ...gateway].includes(name))).toEqual([])
})

// With no more of git than the names of commits: its settings may have a password in an address.
test.each([GATEWAY, 'Dockerfile.console'])('%s: its build can read which commit it is', (file) => {
  const [build] = readStages(file)
  const runs = textsOf(build, 'RUN')
  expect(runs.join('\n')).toContain('ln -s /context/.git .git')
  const reading = runs.filter((run) => run.startsWith('--mount=type=bind,target=/context '))
  expect(reading).toEqual([expect.stringMatching(/npm run build -- gateway|vite build console/)])
  const ofGit = readFileSync('.dockerignore', 'utf8').match(/^!\.git\b.*$/gm)
  expect(ofGit).toEqual(['!.git/HEAD', '!.git/packed-refs', '!.git/refs/heads'])
})

test('the gateway image has no paper exchange, no simulation and no test', () => {
  const sources = globSync('{gateway,schema,scripts}/**/*.ts').filter((file) => isIn(GATEWAY, file))
  expect(sources).toContain('gateway/src/main.ts')
  expect(sources.filter((file) => /paper-exchange|simulation|\.test\./.test(file))).toEqual([])
})

test('the image of the paper exchange has all that it needs and no code of the gateway', () => {
  const [command = ''] = textsOf(readStages(PAPER).at(-1), 'CMD')
  const { files, packages } = reachedFrom(JSON.parse(command).at(-1))
  expect(files.filter((file) => !isIn(PAPER, file))).toEqual([])
  expect(files.filter((file) => !file.startsWith('gateway/paper-exchange/src/'))).toEqual([])
  expect(packages).toEqual(dependenciesAmong(packages, 'gateway/paper-exchange/package.json'))
})

/** Whether a source file is copied into a stage, by default the last. */
function isIn(dockerfile: string, file: string, stage = -1): boolean {
  const copied = textsOf(readStages(dockerfile).at(stage), 'COPY').map((copy) =>
    copy.split(' ').at(-1),
  )
  return copied.some((folder) => file.startsWith(`${folder}/`)) && !isIgnored(file)
}

function dependenciesAmong(packages: readonly string[], manifest: string): string[] {
  const { dependencies } = JSON.parse(readFileSync(manifest, 'utf8'))
  return packages.filter((name) => name in dependencies)
}

test('what the console imports from other folders is in its image build', () => {
  const imported = globSync('console/{src,build}/**/*.{ts,tsx}')
    .filter((file) => !file.endsWith('.test.ts'))
    .flatMap((file) => importsIn(file).map((name) => [file, name] as const))
    .flatMap(([file, name]) => (name.startsWith('.') ? [join(dirname(file), name)] : []))
    .filter((file) => !file.startsWith('console/'))
  expect(imported).toContain('docs/bots/*.{mjs,py,sh}')
  const settings = readFileSync('console/vite.config.ts', 'utf8')
  expect(settings).toContain(`from '../gateway/src/version.ts'`)
  const copied = textsOf(readStages('Dockerfile.console')[0], 'COPY')
  const allowed = readFileSync('.dockerignore', 'utf8').split('\n')
  expect(copied).toContain('gateway/src/version.ts gateway/src/')
  for (const folder of new Set(imported.map((file) => dirname(file)))) {
    expect(copied).toContain(`${folder} ${folder}`)
    expect(allowed).toContain(`!${folder.replace(/^docs\b.*/, 'docs')}`)
  }
})

test('each document that the site has as a page is in the image build of the console', () => {
  const copied = textsOf(readStages('Dockerfile.console')[0], 'COPY').flatMap((copy) =>
    copy.split(' '),
  )
  const elsewhere = [...readDocuments().pages.keys()].filter((path) => !path.startsWith('docs/'))
  expect(copied).toEqual(expect.arrayContaining(['docs', 'README.md', ...elsewhere]))
})
