import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { connect } from 'node:net'
import { text } from 'node:stream/consumers'
import {
  type ConnectionOptions,
  createServer,
  type TLSSocket,
  connect as tlsConnect,
} from 'node:tls'
import Fastify, { type FastifyInstance } from 'fastify'
import { Pool } from 'undici'
import { expect, onTestFinished, test } from 'vitest'
import { eventually } from '../../test/support/eventually.ts'
import { selfSigned } from '../../test/support/self-signed.ts'
import { systemTime } from '../time.ts'
import { createNodeKeys, type NodeKeys } from '../vault/key-ring.ts'
import { deriveKey, type MasterKey, toMasterKey } from '../vault/master-key.ts'
import { clientTls, createNodeConnector, listenToNodes } from './channel.ts'
import { headersToPass, NOT_OWNER_HEADER } from './hop.ts'

const masterKey = () => toMasterKey(randomBytes(32).toString('base64'), 'test')
const OLD = masterKey()
const NEW = masterKey()

/** Keys of a ring; the ring may change later. */
function keysOf(ring: MasterKey[]): NodeKeys {
  return createNodeKeys({
    keys: () => ring,
    find: (keyId) => ring.find((key) => key.keyId === keyId),
  })
}

function offeredBy(keys: NodeKeys) {
  const [key] = keys.offered()
  if (key === undefined) throw new Error('no key')
  return key
}

/** The listener of a node, and the ids of the requests that reached its app. */
const LISTEN = { canWrite: () => true, host: '127.0.0.1', time: systemTime }

async function node(keys: NodeKeys, nodeId = 'run') {
  const arrived: string[] = []
  const released = Promise.withResolvers<void>()
  const app: FastifyInstance = Fastify({ logger: false })
  app.get('/', async ({ raw }) => {
    arrived.push(raw.url ?? '')
    if (raw.url === '/?held') await released.promise
    return { protocol: (raw.socket as TLSSocket).getProtocol() }
  })
  await app.ready()
  const listener = await listenToNodes(app, { ...LISTEN, port: 0, keys, nodeId })
  onTestFinished(() => listener.close())
  return { port: listener.port, arrived, close: listener.close, release: released.resolve }
}

const REQUEST = {
  method: 'GET',
  path: '/',
  headers: headersToPass(
    { host: 'x' },
    {
      requestId: '01a20793-7d48-737d-8454-42f3372bffa8',
      address: '198.51.100.7',
      nodeId: 'https://127.0.0.1:1',
    },
    'run',
  ),
} as const

function poolTo(port: number, keys: NodeKeys): Pool {
  const pool = new Pool(`https://127.0.0.1:${port}`, { connect: createNodeConnector(keys) })
  onTestFinished(() => pool.destroy())
  return pool
}

/** The status, or the code of the error. */
async function ask(pool: Pool): Promise<number | string> {
  try {
    const { statusCode, body } = await pool.request(REQUEST)
    await body.dump()
    return statusCode
  } catch (error) {
    return error instanceof Error && 'code' in error ? String(error.code) : String(error)
  }
}

/** What happens to a TLS connection with these options: `open`, or the code of the error. */
function open(port: number, options: ConnectionOptions): Promise<string> {
  return new Promise((resolve) => {
    const socket = tlsConnect({ host: '127.0.0.1', port, ...options })
    onTestFinished(() => void socket.destroy())
    socket.once('secureConnect', () => resolve('open'))
    socket.once('error', (error: NodeJS.ErrnoException) => resolve(error.code ?? error.message))
  })
}

test('nodes with the same master key talk in TLS 1.3 with ephemeral keys', async () => {
  const keys = keysOf([OLD])
  const { port, arrived } = await node(keys)
  expect(await ask(poolTo(port, keys))).toBe(200)
  expect(arrived).toEqual(['/'])

  const socket = tlsConnect({ host: '127.0.0.1', port, ...clientTls(offeredBy(keys)) })
  onTestFinished(() => void socket.destroy())
  await new Promise((resolve) => socket.once('secureConnect', resolve))
  expect(socket.getProtocol()).toBe('TLSv1.3')
  expect(socket.getEphemeralKeyInfo()).toMatchObject({ type: expect.any(String) })
})

test('without the key nobody gets in', async () => {
  const keys = keysOf([OLD])
  const { port, arrived } = await node(keys)
  const key = offeredBy(keys)
  const trusting = { rejectUnauthorized: false, checkServerIdentity: () => undefined }
  const offering = (identity: string, psk: Buffer) => ({
    ...clientTls({ identity, psk }),
    ...trusting,
  })

  expect(await ask(poolTo(port, keysOf([NEW])))).toMatch(/^ERR_SSL/)
  // The right identity, with random bytes, and with the same master key for another purpose.
  expect(await open(port, offering(key.identity, randomBytes(32)))).toMatch(/^ERR_SSL/)
  const other = deriveKey(OLD.key, 'client token').export()
  expect(await open(port, offering(key.identity, other))).toMatch(/^ERR_SSL/)
  expect(await open(port, offering('', key.psk))).toMatch(/^ERR_SSL/)
  expect(await open(port, trusting)).toMatch(/^ERR_SSL/)
  const older = { ...offering(key.identity, key.psk), minVersion: 'TLSv1.2', maxVersion: 'TLSv1.2' }
  expect(await open(port, { ...older, ciphers: 'PSK' } as ConnectionOptions)).toMatch(/^ERR_SSL/)

  const plain = connect(port, '127.0.0.1')
  plain.write('GET / HTTP/1.1\r\nhost: x\r\n\r\n')
  expect(await text(plain)).not.toContain('HTTP')
  expect(arrived).toEqual([])
})

test('a server with a certificate instead of the key gets nothing', async () => {
  const { key: privateKey, cert } = selfSigned()
  const received: string[] = []
  const impostor = createServer({ key: privateKey, cert }, (socket) =>
    socket.on('data', (chunk) => received.push(chunk.toString())).on('error', () => {}),
  )
  await new Promise<void>((resolve) => impostor.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => void impostor.close())
  const { port } = impostor.address() as { port: number }
  const keys = keysOf([OLD])
  expect(await ask(poolTo(port, keys))).toBe('DEPTH_ZERO_SELF_SIGNED_CERT')
  // The certificate would be right for everybody else.
  expect(await open(port, { ca: cert })).toBe('open')
  expect(await open(port, { ...clientTls(offeredBy(keys)), ca: cert })).toContain(
    'a certificate instead',
  )
  expect(received).toEqual([])
})

test.each([
  ['a field that this version does not know', { 'x-sluice-later': 'x' }, 200, 1],
  ['no version, as the first releases', { 'x-sluice-channel': '' }, 200, 1],
  ['no run of the owner, as the first releases', { 'x-sluice-owner': '' }, 200, 1],
  ['an earlier run of the owner', { 'x-sluice-owner': 'earlier' }, 503, 0],
  ['a newer version', { 'x-sluice-channel': '2' }, 503, 0],
  ['a version that is none', { 'x-sluice-channel': 'x' }, 503, 0],
  ['less than it must', { 'x-sluice-node': '' }, 503, 0],
])('a node that says %s of a request', async (_, fields, status, arrivals) => {
  const keys = keysOf([OLD])
  const { port, arrived } = await node(keys)
  const headers = { ...REQUEST.headers, ...fields }
  const { statusCode, headers: answered } = await poolTo(port, keys).request({
    ...{ ...REQUEST, headers },
  })
  expect(statusCode).toBe(status)
  expect(arrived).toHaveLength(arrivals)
  // The other node knows that nothing was done, and tries the next owner.
  expect(answered[NOT_OWNER_HEADER]).toBe(status === 503 ? '1' : undefined)
})

test('what has arrived when the listener closes still gets its response', async () => {
  const keys = keysOf([OLD])
  const { port, arrived, close, release } = await node(keys)
  const pool = poolTo(port, keys)
  const response = pool.request({ ...REQUEST, path: '/?held' })
  await expect.poll(() => arrived).toHaveLength(1)
  const closed = close()
  release()
  const { statusCode, headers } = await response
  expect([statusCode, headers.connection]).toEqual([200, 'close'])
  await closed
  expect(await ask(pool)).toBe('ECONNREFUSED')
})

test('a rotation of the master key does not separate the nodes', async () => {
  const { port } = await node(keysOf([OLD]))
  expect(await ask(poolTo(port, keysOf([OLD, NEW])))).toBe(200)
  const { port: rotated } = await node(keysOf([OLD, NEW]))
  expect(await ask(poolTo(rotated, keysOf([OLD])))).toBe(200)
  expect(await ask(poolTo(rotated, keysOf([OLD, NEW])))).toBe(200)
  const { port: done } = await node(keysOf([NEW]))
  expect(await ask(poolTo(done, keysOf([OLD])))).toMatch(/^ERR_SSL/)
})

test('a key that was removed opens nothing any more, also not on an open connection', async () => {
  const ring = [OLD, NEW]
  const { port, arrived } = await node(keysOf(ring))
  const withOld = poolTo(port, keysOf([OLD]))
  expect(await ask(withOld)).toBe(200)
  let session: Buffer | undefined
  const key = offeredBy(keysOf([OLD]))
  const socket = tlsConnect({ host: '127.0.0.1', port, ...clientTls(key) })
  socket.on('session', (ticket) => {
    session = ticket
  })
  await expect.poll(() => session).toBeDefined()
  socket.destroy()

  ring.shift()
  expect(await ask(withOld)).not.toBe(200)
  expect(arrived).toHaveLength(1)
  const resumed = { session, rejectUnauthorized: false } as ConnectionOptions
  expect(await open(port, resumed)).toMatch(/^ERR_SSL/)
})

test('an address that cannot be used is named, with the setting', async () => {
  const { port } = await node(keysOf([OLD]))
  const options = { ...LISTEN, port, keys: keysOf([OLD]), nodeId: '' }
  const second = listenToNodes(Fastify(), options)
  await expect(second).rejects.toThrow(
    new RegExp(`other gateways at 127.0.0.1:${port}: .*EADDRINUSE.* Set NODE_LISTEN`),
  )
})

test('connections without the key end, so that they leave room for the other nodes', async () => {
  const { port } = await node(keysOf([NEW]))
  const ended: number[] = []
  const begin = (_: unknown, index: number) => {
    const socket = connect(port, '127.0.0.1').on('error', () => {})
    onTestFinished(() => void socket.destroy())
    socket.once('close', () => void ended.push(index))
    // The first bytes of a handshake.
    socket.write(Buffer.from([22, 3, 1, 2, 0]))
    return socket
  }
  const sockets = Array.from({ length: 700 }, begin)
  await Promise.all(sockets.map((socket) => once(socket, 'connect')))
  await eventually(() => expect(ended.length).toBeGreaterThanOrEqual(200))
  // The oldest make room; later the others end too, because they show no key.
  expect(Math.max(...ended.slice(0, 200))).toBeLessThan(300)
  expect(await ask(poolTo(port, keysOf([NEW])))).toBe(200)
  await eventually(() => expect(ended).toHaveLength(700))
})
