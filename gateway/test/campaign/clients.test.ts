import { text } from 'node:stream/consumers'
import { expect, test, vi } from 'vitest'
import { httpServer } from '../support/http-server.ts'
import { createBotClientAt } from './clients.ts'

/** A gateway that ends with the given call, and what it was asked for. */
async function gateway(endsAt: string) {
  const asked: string[] = []
  const url = await httpServer(async (request, response) => {
    const { clientId = '' } = JSON.parse(await text(request))
    asked.push(`${request.url} ${clientId}`.trim())
    if (request.url === endsAt) return void request.socket.destroy()
    response.end(JSON.stringify({ token: 't', id: 7, clientSecret: 's' }))
  })
  return { asked, url }
}

test('a gateway that ends while it makes a client is followed by another one, which makes it under another name', async () => {
  const first = await gateway('/api/admin/client-api-keys')
  const second = await gateway('never')
  const url = vi.fn().mockResolvedValueOnce(first.url).mockResolvedValue(second.url)
  const made = await createBotClientAt(url, { add: vi.fn() } as never, 'bot-1', {})
  expect(made).toEqual({ id: 7, clientId: 'bot-1-2', clientSecret: 's' })
  expect(first.asked).toContain('/api/admin/client-credentials bot-1')
  expect(second.asked).toContain('/api/admin/client-credentials bot-1-2')
})

test('when every try fails, the reason of the last one is reported', async () => {
  const { url } = await gateway('/auth/login')
  const failed = createBotClientAt(async () => url, { add: vi.fn() } as never, 'bot-1', {})
  await expect(failed).rejects.toThrow('fetch failed')
})
