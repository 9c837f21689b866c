import Fastify from 'fastify'
import { expect, test, vi } from 'vitest'
import { createSetTime } from '../../test/support/set-time.ts'
import { notSent } from '../lane/errors.ts'
import { NotOwnerError } from '../store/errors.ts'
import { type PassRequestsDeps, passRequests } from './pass-requests.ts'

test('the next owner gets what is left of the time that a bot waits, also after a wait in the queue of this node', async () => {
  const pass = vi.fn<PassRequestsDeps['passing']['pass']>(async () => ({
    ...{ status: 200, headers: {}, body: Buffer.alloc(0), upstreamMs: 0, receivedAtMs: 0 },
  }))
  const app = Fastify()
  const time = createSetTime()
  passRequests(app, {
    ownerView: { owner: () => 'self' },
    parked: {
      owner: async () => ({ nodeId: 'next', url: 'https://next', fence: 2 }),
      refused: vi.fn(),
    },
    passing: { pass, track: (work) => work(), isClosing: false },
    ...{ nodeId: 'https://here', endHandedOver: async () => false, onPassed: vi.fn(), time },
    passStream: vi.fn(),
  })
  app.route({
    ...{ method: 'POST', url: '/order', config: { endpoint: {} } as never },
    async handler() {
      await time.advance(4_000)
      throw notSent(new NotOwnerError())
    },
  })
  const headers = { prefer: 'wait=10' }
  const response = await app.inject({ method: 'POST', url: '/order', headers })
  expect(response.statusCode).toBe(200)
  expect(pass.mock.calls[0]?.[1].headers.prefer).toBe('wait=6')
})
