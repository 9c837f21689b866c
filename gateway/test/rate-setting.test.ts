import { expect, test } from 'vitest'
import { testApp } from './app.ts'

async function warningsAtStart(RATE_LIMIT_PER_SECOND: string): Promise<object[]> {
  const logLines: string[] = []
  const { app } = await testApp({ env: { RATE_LIMIT_PER_SECOND }, logLines })
  await app.listen({ host: '127.0.0.1', port: 0 })
  return logLines
    .map((line) => JSON.parse(line))
    .filter(({ msg }) => String(msg).startsWith('RATE_LIMIT_PER_SECOND'))
}

test('the log of the start warns of a rate that an exchange does not allow', async () => {
  expect(await warningsAtStart('3')).toMatchObject([
    { level: 40, exchange: 'mx', msg: expect.stringContaining('MEXC allows 2: ') },
  ])
  expect(await warningsAtStart('12')).toMatchObject([
    { level: 40, exchange: 'mx' },
    { level: 40, exchange: 'bg', msg: expect.stringContaining('Bitget allows 10: ') },
  ])
  // The default.
  expect(await warningsAtStart('')).toEqual([])
})
