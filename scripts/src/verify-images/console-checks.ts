import { type Check, expectThat, stop } from './check.ts'
import { signIn } from './sign-in.ts'
import { ADMIN } from './trading-checks.ts'

/** The console as a browser meets it. The administrator has to be there. */
export function createConsoleChecks(password: string): readonly Check[] {
  return [
    {
      promise: 'console: a missing asset is a 404, an unknown page is the console',
      run: async ({ consoleUrl }) => {
        const missing = await fetch(`${consoleUrl}/assets/index-gone.js`)
        expectThat(missing.status === 404, `the asset responds with ${missing.status}`)
        expectThat(missing.headers.get('cache-control') === 'no-store', 'the 404 may be cached')
        const page = await fetch(`${consoleUrl}/a/page`)
        expectThat((await page.text()).includes('<div id="root">'), 'the page is another one')
        return ''
      },
    },
    {
      promise: 'console: assets come compressed and are kept for a year',
      run: async ({ consoleUrl }) => {
        const start = await (await fetch(consoleUrl)).text()
        const [script = ''] = start.match(/\/assets\/index-[^"]+\.js/) ?? []
        const headers = { 'accept-encoding': 'gzip' }
        const { headers: found } = await fetch(consoleUrl + script, { headers })
        expectThat(found.get('content-encoding') === 'gzip', 'it is not compressed')
        const caching = found.get('cache-control') ?? ''
        expectThat(caching.includes('immutable'), `Cache-Control is ${caching}`)
        return ''
      },
    },
    {
      promise: 'console: loads in a browser under its policy and signs in',
      run: ({ consoleUrl }) => signIn(consoleUrl, { email: ADMIN, password }),
    },
    {
      promise: 'console: stops on a signal',
      run: async (world) => {
        const { exitCode, seconds } = await stop(world, world.names.console)
        expectThat(exitCode === 0, `it ended with exit code ${exitCode}`)
        return `in ${seconds} s`
      },
    },
  ]
}
