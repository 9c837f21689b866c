import { request } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { World } from '../world.ts'
import type { Call } from './route-calls.ts'

export interface Received {
  readonly status: number
  readonly headers: Readonly<Record<string, unknown>>
  readonly body: string
}

/** Sends a request over a socket, or hands it to the app as if it had come over one. */
export function send(
  world: World,
  call: Call,
  headers: Readonly<Record<string, string>>,
  isReal: boolean,
): Promise<Received> {
  return isReal ? overHttp(world, call, headers) : handed(world, call, headers)
}

async function handed(
  { app }: World,
  { method, url, payload }: Call,
  headers: Readonly<Record<string, string>>,
): Promise<Received> {
  const response = await app.inject({
    method: method as 'GET',
    url,
    headers: { ...headers },
    ...(payload === undefined || method === 'GET' || method === 'HEAD' ? {} : { payload }),
  })
  return { status: response.statusCode, headers: response.headers, body: response.body }
}

function overHttp(
  { app }: World,
  { method, url: path, payload }: Call,
  headers: Readonly<Record<string, string>>,
): Promise<Received> {
  const { port } = app.server.address() as AddressInfo
  const body = method === 'GET' || method === 'HEAD' ? '' : (payload ?? '')
  const length = body === '' ? {} : { 'content-length': `${Buffer.byteLength(body)}` }
  return new Promise((resolve, reject) => {
    const options = { port, method, path, headers: { ...headers, ...length } }
    const sent = request(options, (response) => {
      let text = ''
      response.setEncoding('utf8')
      response.on('data', (chunk: string) => {
        text += chunk
      })
      response.on('end', () =>
        resolve({ status: response.statusCode ?? 0, headers: response.headers, body: text }),
      )
      response.on('error', reject)
    })
    sent.on('error', reject)
    sent.end(body)
  })
}
