import { createServer, get, type OutgoingHttpHeaders } from 'node:http'
import type { AddressInfo } from 'node:net'
import { buffer } from 'node:stream/consumers'

interface RememberedFile {
  readonly status: number
  readonly headers: OutgoingHttpHeaders
  readonly body: Buffer
}

/**
 * Serves what another server serves, which gets each file once in each coding: the server of the
 * console compresses a file anew for each browser, and each test that closes its tab begins with an
 * empty cache. The caller closes it.
 */
export async function rememberFiles(
  origin: string,
): Promise<{ readonly url: string; readonly close: () => Promise<void> }> {
  const files = new Map<string, Promise<RememberedFile>>()
  const fileOf = (path: string, coding: string) => {
    const key = `${coding} ${path}`
    const known = files.get(key) ?? fetchFile(`${origin}${path}`, coding)
    files.set(key, known)
    return known
  }
  const server = createServer(async (request, response) => {
    const { status, headers, body } = await fileOf(
      request.url ?? '/',
      String(request.headers['accept-encoding'] ?? ''),
    )
    response.writeHead(status, headers).end(body)
  })
  // Longer than the tests run: the browser would fail on a connection that closes.
  server.keepAliveTimeout = 3_600_000
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    close: () =>
      new Promise((resolve, reject) => {
        server.close((error) => (error === undefined ? resolve() : reject(error)))
        server.closeAllConnections()
      }),
  }
}

/** As it is sent: `fetch` would unpack it. */
function fetchFile(url: string, coding: string): Promise<RememberedFile> {
  return new Promise((resolve, reject) => {
    get(url, { headers: { 'accept-encoding': coding } }, async (response) => {
      const body = await buffer(response)
      const {
        connection: _,
        'keep-alive': __,
        'transfer-encoding': ___,
        ...headers
      } = response.headers
      resolve({
        status: response.statusCode ?? 502,
        headers: { ...headers, 'content-length': body.length },
        body,
      })
    }).on('error', reject)
  })
}
