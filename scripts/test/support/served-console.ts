import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
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

/** A console of few files as the demo serves it, until the test or `onEnd`. */
export async function servedConsole(onEnd: OnEnd = withTest) {
  const dist = tempFolder(onEnd)
  mkdirSync(join(dist, 'assets'))
  for (const file of ['index.html', 'favicon.svg', 'scheme.js', 'assets/index-abc.js'])
    writeFileSync(join(dist, file), 'x')
  const served = await serveConsole({ dist, host: '127.0.0.1', port: 0, gatewayUrl: GATEWAY })
  onEnd(() => served.close())
  return { dist, url: served.url }
}
