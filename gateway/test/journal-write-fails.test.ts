import { expect, test } from 'vitest'
import type { Fault } from '../paper-exchange/src/faults.ts'
import { testApp } from './app.ts'
import { botOf } from './support/bot-of.ts'
import { eventually } from './support/eventually.ts'
import { onDisk } from './support/on-disk.ts'
import { ORDER, place } from './support/place.ts'
import { createSetTime } from './support/set-time.ts'

const TOO_LARGE = { ...ORDER, quantity: '30', leverage: 1, openType: 'isolated' }
const CREATE = { path: '/api/v1/private/order/create' }

interface FailingWrite {
  /** The states that the journal cannot enter. */
  readonly states: readonly string[]
  readonly happens: string
  readonly fault?: Fault
  readonly order?: object
  readonly status: number
  readonly outcome?: string
  /**
   * Orders at the exchange, before and after a retry with the same key once the journal can be
   * written.
   */
  readonly exists: readonly [before: number, after: number]
  readonly endsAs: string
}

const failingWrites: readonly FailingWrite[] = [
  {
    ...{ states: ['sent'], happens: 'nothing special' },
    ...{ status: 500, outcome: 'not-sent', exists: [0, 1], endsAs: 'dropped' },
  },
  {
    ...{ states: ['answered'], happens: 'nothing special' },
    ...{ status: 200, exists: [1, 1], endsAs: 'answered' },
  },
  {
    ...{ states: ['queued'], happens: 'HTTP 429, once', fault: { kind: '429', match: CREATE } },
    ...{ status: 200, exists: [1, 1], endsAs: 'answered' },
  },
  {
    ...{ states: ['unknown', 'resolved'], happens: 'carried out, connection reset' },
    ...{ fault: { kind: 'reset-after', match: CREATE } },
    ...{ status: 200, exists: [1, 1], endsAs: 'resolved' },
  },
  {
    ...{ states: ['refused'], happens: 'rejected', order: TOO_LARGE },
    ...{ status: 422, exists: [0, 0], endsAs: 'refused' },
  },
  {
    ...{ states: ['queued', 'dropped'], happens: 'HTTP 429, three times' },
    ...{ fault: { kind: '429', retryAfterSeconds: 0, times: 3, match: CREATE } },
    ...{ status: 429, outcome: 'not-sent', exists: [0, 1], endsAs: 'dropped' },
  },
]

test.each(failingWrites)(
  'at the exchange: $happens; the journal cannot write $states: the bot hears the truth, and the journal has it later',
  async ({ states, fault, order = ORDER, status, outcome, exists, endsAs }) => {
    const { env, exec, column } = onDisk()
    const time = createSetTime()
    const bot = await botOf(await testApp({ time, env }))
    const { paper } = bot
    exec(`create trigger failing before update on order_journal
      when new.state <> old.state and new.state in (${states.map((state) => `'${state}'`)})
      begin select raise(abort, 'no room'); end`)
    const send = () => time.during(place(bot, bot, 'k', order))
    if (fault !== undefined) paper.faults.add(fault)
    const first = await send()
    expect(first.statusCode).toBe(status)
    expect(first.json().outcome).toBe(outcome)
    expect(paper.orders('mx')).toHaveLength(exists[0])
    if (states.includes(endsAs)) expect((await send()).body).toBe(first.body)
    expect(paper.orders('mx')).toHaveLength(exists[0])

    exec('drop trigger failing')
    const id = String(first.headers['x-request-id'])
    await eventually(async () => {
      await time.advance(1_000)
      expect(column('select state from order_journal where id = ?', id)).toEqual([endsAs])
    })
    const again = await send()
    if (exists[0] === exists[1]) expect(again.body).toBe(first.body)
    else expect(again.statusCode).toBe(200)
    expect(paper.orders('mx')).toHaveLength(exists[1])
  },
)
