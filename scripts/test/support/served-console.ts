import { mkdirSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { onTestFinished } from 'vitest'
import { tempFolder } from '../../../gateway/test/support/temp-folder.ts'
import { serveConsole } from '../../src/serve-console.ts'

export const GATEWAY = 'https://api.example.com'

/** What differs from server to server and says nothing about safety or caching. */
const TRANSPORT =
  /^(accept-ranges|connection|content-(encoding|length|type)|date|etag|keep-alive|last-modified|server|transfer-encoding|vary)$/

/** The headers that matter, by name. */
export const headersOf = ({ headers }: Response): Record<string, string> =>
  Object.fromEntries([...headers].filter(([name]) => !TRANSPORT.test(name)))

type OnEnd = (end: () => unknown) => void
const withTest: OnEnd = (end) => onTestFinished(async () => void (await end()))

const FILES = [
  ...['index.html', 'favicon.svg', 'scheme.js', 'assets/index-abc.js'],
  ...['index.html', '404.html', 'bots.html', 'bots.md', 'bots/index.html', 'assets/app.a.js'].map(
    (file) => `docs/guide/${file}`,
  ),
]

/** What is asked of the documentation, and the file that is served. */
export const SITE_PATHS = [
  ...['', 'bots/'].map((path) => ({
    path: `/docs/guide/${path}`,
    file: 'index.html',
    status: 200,
  })),
  ...['bots.html', 'bots.md', 'assets/app.a.js'].map((file) => ({
    ...{ path: `/docs/guide/${file}`, file, status: 200 },
  })),
  ...['gone', 'gone.html', 'assets/gone.js'].map((path) => ({
    ...{ path: `/docs/guide/${path}`, file: '404.html', status: 404 },
  })),
]

/**
 * A console of few files with its documentation as the demo serves it, until the test or `onEnd`.
 * What is in a file is its name.
 */
export async function servedConsole(onEnd: OnEnd = withTest) {
  const dist = tempFolder(onEnd)
  for (const file of FILES) {
    mkdirSync(join(dist, dirname(file)), { recursive: true })
    writeFileSync(join(dist, file), file)
  }
  const served = await serveConsole({ dist, host: '127.0.0.1', port: 0, gatewayUrl: GATEWAY })
  onEnd(() => served.close())
  return { dist, url: served.url }
}
