import { Agent, request } from 'node:http'
import { startNginx } from './proxies/nginx.ts'

/** Sends `count` requests at once through an nginx that paces them by limit_req, and stops it. */
export async function throughNginx(
  nginx: string,
  { url, rate, count }: { url: URL; rate: number; count: number },
): Promise<void> {
  const { url: origin, stop } = await startNginx(nginx, {
    upstream: url.host,
    keepAlive: 8,
    limit: {
      zone: `limit_req_zone $server_port zone=bench:1m rate=${rate}r/s;`,
      use: `limit_req zone=bench burst=${count};`,
    },
  })
  try {
    // What nginx can hold; it always has some that wait.
    const agent = new Agent({ keepAlive: false, maxSockets: 500 })
    const through = new URL(`${url.pathname}${url.search}`, origin)
    await Promise.all(Array.from({ length: count }, () => get(through, agent)))
  } finally {
    await stop()
  }
}

function get(url: URL, agent: Agent): Promise<void> {
  return new Promise((resolve, reject) => {
    request(url, { agent }, (response) => response.resume().on('end', resolve))
      .on('error', reject)
      .end()
  })
}
