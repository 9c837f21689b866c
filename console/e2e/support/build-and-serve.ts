import { cpSync } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { build, type PluginOption } from 'vite'
import { buildSite } from '../../../scripts/src/build-site.ts'
import { serveConsole } from '../../../scripts/src/serve-console.ts'
import { testLanguage } from '../../build/test-language.ts'
import { rememberFiles } from './remember-files.ts'
import { GATEWAY_URL } from './stub-gateway.ts'

const root = fileURLToPath(new URL('../..', import.meta.url))

/**
 * One build and one server for all tests, and the same in the test language, in folders of their
 * own: a build made in between changes nothing under them. The documentation is built if it has
 * changed. `CONSOLE_URL`, `CONSOLE_DIST`, `SITE_DIST` and `TEST_LANGUAGE_URL` give the tests their
 * places.
 */
export default async function buildAndServe(): Promise<() => Promise<void>> {
  const site = await buildSite()
  const [usual, language] = await Promise.all([
    serveBuild([], site),
    serveBuild([testLanguage()], site),
  ])
  process.env.SITE_DIST = site
  process.env.CONSOLE_URL = usual.url
  process.env.CONSOLE_DIST = usual.dist
  process.env.TEST_LANGUAGE_URL = language.url
  return async () => {
    await Promise.all([usual.close(), language.close()])
  }
}

async function serveBuild(plugins: PluginOption[], site: string) {
  const dist = await mkdtemp(join(tmpdir(), 'sluice-console-'))
  await build({ root, logLevel: 'error', plugins, build: { outDir: dist, emptyOutDir: true } })
  cpSync(site, join(dist, 'docs/guide'), { recursive: true })
  const server = { dist, host: '127.0.0.1', port: 0, gatewayUrl: GATEWAY_URL }
  const served = await serveConsole(server)
  const { url, close } = await rememberFiles(served.url)
  return {
    ...{ url, dist },
    close: async () => {
      await close()
      await served.close()
      await rm(dist, { recursive: true, force: true })
    },
  }
}
