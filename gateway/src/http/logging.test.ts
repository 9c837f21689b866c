import { expect, onTestFinished, test } from 'vitest'
import { loggerOptions } from './logging.ts'
import { createServer } from './server.ts'

test('a line of a request names the request and hides secrets', async () => {
  const lines: Record<string, unknown>[] = []
  const stream = { write: (line: string) => void lines.push(JSON.parse(line)) }
  const logger = { ...loggerOptions('warn'), stream }
  const app = await createServer({ consoleOrigins: [], trustProxy: [], logger })
  onTestFinished(() => app.close())
  app.get('/bug', async (request) => {
    request.log.warn({ client: { clientSecret: 'sls_secret' } }, 'a warning')
    throw new Error('a bug')
  })
  const { headers } = await app.inject('/bug')
  expect(lines).toMatchObject([
    { level: 40, msg: 'a warning', client: { clientSecret: '[redacted]' } },
    { level: 50, err: { message: 'a bug' } },
  ])
  expect(lines.map(({ reqId }) => reqId)).toEqual([
    headers['x-request-id'],
    headers['x-request-id'],
  ])
})
