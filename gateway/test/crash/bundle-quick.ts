import { mkdirSync, mkdtempSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { build } from 'vite'

const root = fileURLToPath(new URL('../..', import.meta.url))

/** The quick gateway, its worker threads, and the process that checks pages, beside each other. */
const ENTRIES = [
  'test/crash/gateway-process.ts',
  'src/plugins/auth/passkey-worker.ts',
  'src/plugins/logs/log-worker.ts',
  'src/store/sqlite/checkpoint-worker.ts',
  'src/store/sqlite/page-check-process.ts',
]

/** As in the bundle that `npm run build` makes: native code, and what is seldom loaded. */
const OUTSIDE = [/^better-sqlite3$/, /^argon2$/, /^@opentelemetry\/(?!api$)/, /^@fastify\/swagger/]

/**
 * Bundles the quick gateway: a start of its sources takes two seconds of CPU time, five times as
 * much as a start of the bundle, and a run has many.
 * @returns the folder, which the caller removes, and the file that Node runs
 */
export async function bundleQuick(): Promise<{ folder: string; entry: string }> {
  // As deep below the gateway as the folders of `src`: the migrations are found from there.
  const dist = join(root, 'dist')
  mkdirSync(dist, { recursive: true })
  const folder = mkdtempSync(join(dist, 'crash-'))
  await build({
    configFile: false,
    root,
    logLevel: 'error',
    build: {
      ssr: true,
      outDir: folder,
      target: 'node24',
      minify: false,
      rolldownOptions: {
        input: ENTRIES.map((entry) => join(root, entry)),
        external: OUTSIDE,
        // Bottleneck asks for Redis by eval, which the gateway does not use.
        checks: { eval: false },
        // Beside the workers: the modules that start them are in this chunk.
        output: { chunkFileNames: '[name]-[hash].js' },
      },
    },
    ssr: { noExternal: true },
  })
  return { folder, entry: join(folder, 'gateway-process.js') }
}
