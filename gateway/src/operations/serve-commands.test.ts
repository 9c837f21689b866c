import { expect, onTestFinished, test } from 'vitest'
import { createSetTime } from '../../test/support/set-time.ts'
import { QUESTION_FACT, QUESTION_STATE_FACT, serveCommands } from './serve-commands.ts'

// A gateway that sends, and a fake exchange. With the real one: scripts/test/command-pace.test.ts.

/** A gateway that looks each second for the question of a command. */
function serving() {
  const time = createSetTime({ nowMs: 1_000_000 })
  const facts = new Map<string, string>()
  const errors: unknown[] = []
  let asked = 0
  let isWritable = true
  const upstream = {
    ask: () => Promise.reject(new Error('not used')),
    inAccountKind: () => Promise.reject(new Error('not used')),
    sendOwn() {
      asked += 1
      return Promise.reject(new Error('not reached'))
    },
  }
  const stop = serveCommands({
    facts: {
      get: async (name) => facts.get(name),
      async set(name, value) {
        if (!isWritable && !value.includes('queued')) throw new Error('not writable')
        facts.set(name, value)
      },
    },
    apiKeys: { list: async () => [] },
    feedTrials: { try: () => Promise.reject(new Error('not used')) },
    upstreams: { mx: upstream, bg: upstream },
    time,
    onError: (error) => errors.push(error),
  })
  onTestFinished(stop)
  return {
    ...{ time, errors },
    question: (fields: object) =>
      facts.set(QUESTION_FACT, JSON.stringify({ kind: 'time', family: 'bitget', ...fields })),
    put: (text: string) => facts.set(QUESTION_FACT, text),
    said: () => JSON.parse(facts.get(QUESTION_STATE_FACT) ?? 'null'),
    asked: () => asked,
    break() {
      isWritable = false
    },
  }
}

test('an exchange is asked once, also when what it said cannot be written', async () => {
  const { time, errors, question, said, asked, ...gateway } = serving()
  gateway.break()
  question({ id: 'one', untilMs: time.now() + 60_000 })
  for (let second = 0; second < 10; second += 1) await time.advance(1_000)
  expect(asked()).toBe(1)
  expect(said()).toEqual({ id: 'one', state: 'queued' })
  expect(errors).toHaveLength(1)
})

test('what nobody waits for and what cannot be read is no question', async () => {
  const { time, errors, question, said, asked, put } = serving()
  for (const untilMs of [time.now(), undefined]) {
    question({ id: 'old', untilMs })
    await time.advance(2_000)
  }
  for (const text of ['{"id":', 'null', '[]', '{"id":7}']) {
    put(text)
    await time.advance(2_000)
  }
  expect([asked(), said(), errors]).toEqual([0, null, []])
  question({ id: 'new', untilMs: time.now() + 60_000 })
  await time.advance(2_000)
  expect(asked()).toBe(1)
  expect(said()).toMatchObject({ id: 'new', state: 'failed', why: { message: 'not reached' } })
})
