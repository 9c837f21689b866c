import { once } from 'node:events'
import { connect, type Socket } from 'node:net'
import { expect, onTestFinished, test } from 'vitest'
import { testApp } from './app.ts'
import { eventually } from './support/eventually.ts'
import { scrape } from './support/metrics.ts'

/** Opens connections to the gateway from addresses of this machine. */
async function listening(env: Record<string, string>) {
  const t = await testApp({ env })
  const port = Number(new URL(await t.app.listen({ host: '127.0.0.1', port: 0 })).port)
  const open = async (localAddress: string): Promise<Socket> => {
    const socket = connect({ port, host: '127.0.0.1', localAddress })
    socket.on('error', () => {})
    onTestFinished(() => void socket.destroy())
    await once(socket, 'connect')
    return socket
  }
  return {
    ...t,
    open,
    /** The status of a request on a new connection; `closed` when it gets no response. */
    async ask(localAddress: string): Promise<string> {
      const socket = await open(localAddress)
      socket.write('GET /health/live HTTP/1.1\r\nHost: sluice\r\n\r\n')
      const closed = once(socket, 'close').then(() => 'closed')
      const status = once(socket, 'data').then(([data]) => String(data).slice(9, 12))
      return Promise.race([status, closed])
    },
  }
}

test('an address that has too many connections gets no other one until it closes one', async () => {
  const { app, open, ask } = await listening({ MAX_CONNECTIONS_PER_ADDRESS: '2' })
  const [first] = [await open('127.0.0.1'), await open('127.0.0.1')]
  await eventually(async () => expect((await scrape(app)).value('sluice_connections_open')).toBe(2))
  expect(await ask('127.0.0.1')).toBe('closed')
  expect(await ask('127.0.0.2')).toBe('200')
  const { value } = await scrape(app)
  expect(value('sluice_connections_refused_total', { limit: 'address' })).toBe(1)
  first?.destroy()
  await eventually(async () => expect(await ask('127.0.0.1')).toBe('200'))
})

test.each(['loopback', '127.0.0.1'])(
  'a trusted proxy, %s, has no limit of its own',
  async (name) => {
    const { open, ask } = await listening({ MAX_CONNECTIONS_PER_ADDRESS: '1', TRUST_PROXY: name })
    for (let n = 0; n < 5; n += 1) await open('127.0.0.1')
    expect(await ask('127.0.0.1')).toBe('200')
  },
)

test('all addresses together have a limit', async () => {
  const { app, open, ask } = await listening({ MAX_CONNECTIONS: '3', TRUST_PROXY: 'loopback' })
  for (let n = 1; n <= 3; n += 1) await open(`127.0.0.${n}`)
  await eventually(async () => expect((await scrape(app)).value('sluice_connections_open')).toBe(3))
  expect(await ask('127.0.0.9')).toBe('closed')
  expect((await scrape(app)).value('sluice_connections_refused_total', { limit: 'all' })).toBe(1)
})
