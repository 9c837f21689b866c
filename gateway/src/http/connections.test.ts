import { once } from 'node:events'
import { type AddressInfo, connect } from 'node:net'
import Fastify from 'fastify'
import { expect, onTestFinished, test } from 'vitest'
import { createSetTime } from '../../test/support/set-time.ts'
import { watchConnections } from './connections.ts'

// A read that waited for a database was cut, which a caller that sends nothing more has to expect.
test('a request that the gateway works on is waited for longer than one whose caller is slow', async () => {
  const time = createSetTime({ passesByItselfMs: 0 })
  const app = Fastify({ forceCloseConnections: true })
  onTestFinished(() => app.close())
  const connections = watchConnections(app, { open: 0 }, time)
  const working = Promise.withResolvers<string>()
  app.get('/read', () => working.promise)
  app.post('/order', () => 'done')
  const url = await app.listen({ port: 0, host: '127.0.0.1' })
  const responded = async () => {
    let isOver = false
    const end = connections.responded().then(() => {
      isOver = true
    })
    await time.advance(2_100)
    return { isOver: () => isOver, end }
  }

  const begun = once(app.server, 'request')
  const slow = connect((app.server.address() as AddressInfo).port, '127.0.0.1')
  slow.write('POST /order HTTP/1.1\r\nHost: x\r\nContent-Length: 9\r\n\r\n{')
  await begun
  expect((await responded()).isOver()).toBe(true)

  const read = fetch(`${url}/read`)
  await once(app.server, 'request')
  const { isOver, end } = await responded()
  expect(isOver()).toBe(false)
  working.resolve('done')
  expect(await (await read).text()).toBe('done')
  await time.fly(end)
  slow.destroy()
})
