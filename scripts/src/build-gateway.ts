import { spawn } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { mkdtempSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { SourceMap, type SourceMapPayload } from 'node:module'
import { tmpdir } from 'node:os'
import { join, parse, relative } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { BUNDLE_FOLDER, CACHE_FOLDER, hashOf, MANIFEST } from 'gateway/fresh-bundle.js'
import { COMMIT_FILE, commitOf, UNKNOWN_COMMIT } from 'gateway/version.ts'
import { build, type Plugin } from 'vite'

const project = fileURLToPath(new URL('../..', import.meta.url))
const PACKAGES = /\/node_modules\//
/** Without what loads `pg`: that is imported where the database is PostgreSQL, and only there. */
const PACKAGES_AT_START = /\/node_modules\/(?!drizzle-orm\/node-postgres\/)/

/**
 * Stays outside: native code, what is loaded only when somebody asks for it, and the files of
 * Swagger's page, which it reads from its own folder.
 */
const OUTSIDE = [
  ...[/^better-sqlite3$/, /^pg$/, /^argon2$/, /^@opentelemetry\/(?!api$)/, /^@fastify\/swagger/],
  /^@zxcvbn-ts\//,
]

/** The threads of the gateway, and the process that checks pages. */
const WORKERS = [
  'src/plugins/auth/passkey-worker.ts',
  'src/plugins/logs/log-worker.ts',
  'src/store/sqlite/checkpoint-worker.ts',
  'src/store/sqlite/page-check-process.ts',
]

/** What decides about the bundle beside its sources: the installed packages, and this file. */
const BUILT_BY = ['node_modules/.package-lock.json', relative(project, import.meta.filename)]

/**
 * Bundles the gateway in `gateway/dist/bundle`: its own code, the packages, tracing, which is
 * loaded when it is on, and its worker threads. Then starts it once, so that later starts find
 * their code compiled. Takes some seconds.
 * @returns the path of the file that Node runs
 */
export async function buildGateway(): Promise<string> {
  const outDir = fileURLToPath(BUNDLE_FOLDER)
  const files: Record<string, string> = {}
  for (const path of BUILT_BY) files[path] = hashOf(readFileSync(join(project, path)))
  await bundle('src/main.ts', outDir, files, true)
  // Each by itself, so that a thread loads nothing but what it needs.
  for (const worker of WORKERS) await bundle(worker, outDir, files, false)
  const main = join(outDir, 'main.js')
  keepLinesOf(main)
  for (const worker of WORKERS) keepLinesOf(join(outDir, `${parse(worker).name}.js`))
  // For an image or a copy, which has no .git.
  writeFileSync(COMMIT_FILE, `${commitOf() ?? UNKNOWN_COMMIT}\n`)
  await warmBundle(main, fileURLToPath(CACHE_FOLDER))
  // Last, and whole: without it the bundle is not used.
  const manifest = join(outDir, MANIFEST)
  writeFileSync(`${manifest}.new`, JSON.stringify(files, undefined, 1))
  renameSync(`${manifest}.new`, manifest)
  return main
}

function bundle(
  entry: string,
  outDir: string,
  files: Record<string, string>,
  emptyOutDir: boolean,
): Promise<unknown> {
  return build({
    configFile: false,
    root: join(project, 'gateway'),
    logLevel: 'error',
    plugins: [recordSources(files), leaveOutMapsOfPackages, keepOneByte],
    build: {
      ssr: entry,
      outDir,
      emptyOutDir,
      target: 'node24',
      minify: false,
      sourcemap: true,
      rolldownOptions: {
        external: OUTSIDE,
        // Bottleneck asks for Redis by eval, which the gateway does not use.
        checks: { eval: false },
        output: {
          chunkFileNames: '[name]-[hash].js',
          codeSplitting: { groups: [{ name: 'packages', test: PACKAGES_AT_START }] },
          sourcemapExcludeSources: true,
        },
      },
    },
    ssr: { noExternal: true },
  })
}

/** Records each source as the bundler read it: it may change on disk while the build runs. */
function recordSources(files: Record<string, string>): Plugin {
  return {
    name: 'record-sources',
    enforce: 'pre',
    transform: {
      filter: { id: { exclude: PACKAGES } },
      handler(text, id) {
        if (id.startsWith(`${project}`)) files[relative(project, id)] = hashOf(text)
      },
    },
  }
}

/**
 * Node keeps the whole map in memory. With the packages in it that takes 65 MB; their code is in
 * the bundle as it was published, and can be read there.
 */
const leaveOutMapsOfPackages: Plugin = {
  name: 'leave-out-maps-of-packages',
  enforce: 'post',
  transform: {
    filter: { id: PACKAGES },
    handler: (code) => ({ code, map: { mappings: '' } }),
  },
}

/**
 * V8 keeps a source with one character beyond ASCII at two bytes for each. All of these are in
 * texts, patterns and comments, where the escape means the same.
 */
const keepOneByte: Plugin = {
  name: 'keep-one-byte',
  generateBundle(_options, files) {
    for (const file of Object.values(files)) {
      if (file.type !== 'chunk') continue
      file.code = file.code.replaceAll(
        /[\u0080-\uffff]/g,
        (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`,
      )
    }
  },
}

const PATIENCE_MS = 60_000
/** Refuses every connection: this start asks no exchange. */
const NOWHERE = 'http://127.0.0.1:9'

/**
 * Starts a bundle once on an empty database and stops it, so that Node writes what V8 compiled for
 * it into the folder.
 * @throws when the bundle does not become ready and stop
 */
async function warmBundle(main: string, cacheFolder: string): Promise<void> {
  const data = mkdtempSync(join(tmpdir(), 'sluice-build-'))
  const child = spawn(process.execPath, [main], {
    env: {
      NODE_COMPILE_CACHE: cacheFolder,
      PORT: '0',
      DATABASE_URL: `file:${join(data, 'sluice.db')}`,
      MASTER_KEY: randomBytes(32).toString('base64'),
      MEXC_SPOT_URL: NOWHERE,
      MEXC_FUTURES_URL: NOWHERE,
      BITGET_URL: NOWHERE,
    },
    stdio: ['ignore', 'pipe', 'pipe'],
    timeout: PATIENCE_MS,
  })
  const exited = once(child, 'exit')
  let output = ''
  for (const stream of [child.stdout, child.stderr])
    stream.setEncoding('utf8').on('data', (text: string) => {
      output += text
    })
  try {
    while (child.exitCode === null && child.signalCode === null && !(await isReady(output)))
      await pause(20)
    child.kill('SIGTERM')
    const [code] = await exited
    if (code !== 0) throw new Error(`The bundle does not start: ${output}`)
  } finally {
    rmSync(data, { recursive: true, force: true })
  }
}

/** @param output of the gateway, which names the port that it got */
async function isReady(output: string): Promise<boolean> {
  const url = /listening at (http:\/\/[\d.:]+)/.exec(output)?.[1]
  if (url === undefined) return false
  try {
    return (await fetch(`${url}/health/ready`)).ok
  } catch {
    return false // It has just stopped.
  }
}

const DIGITS = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/'

/**
 * Rewrites the source map of a file so that it has one entry for each line instead of one for each
 * word. Node keeps the whole map in memory once an error was logged: a fifth of it is enough to
 * name files and lines.
 */
export function keepLinesOf(file: string): void {
  const path = `${file}.map`
  const payload = JSON.parse(readFileSync(path, 'utf8')) as SourceMapPayload
  const lines = readFileSync(file, 'utf8').split('\n')
  writeFileSync(path, JSON.stringify({ ...payload, names: [], mappings: toLines(payload, lines) }))
}

function toLines(payload: SourceMapPayload, lines: readonly string[]): string {
  const map = new SourceMap(payload)
  const last = { source: 0, line: 0 }
  return lines
    .map((text, index) => {
      const found = map.findEntry(index, Math.max(0, text.search(/\S/)))
      if (!('originalSource' in found) || found.generatedLine !== index) return ''
      const source = payload.sources.indexOf(found.originalSource)
      const steps = [0, source - last.source, found.originalLine - last.line, 0]
      Object.assign(last, { source, line: found.originalLine })
      return steps.map(toDigits).join('')
    })
    .join(';')
}

/**
 * A number as source maps write it: base 64, five bits a digit, the lowest first, then the sign.
 */
function toDigits(value: number): string {
  let rest = value < 0 ? (-value << 1) | 1 : value << 1
  let text = ''
  do {
    const digit = rest & 31
    rest >>>= 5
    text += DIGITS[rest > 0 ? digit | 32 : digit]
  } while (rest > 0)
  return text
}
