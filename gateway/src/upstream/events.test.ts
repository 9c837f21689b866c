import { expect, test } from 'vitest'
import { Events, type FeedFacts, logEvents } from './events.ts'

test('what fails for the same reason is logged once for each feed, until the feed is live', () => {
  const lines: string[] = []
  const note = (_facts: object, sentence: string) => void lines.push(sentence)
  const log = { warn: note, error: note }
  const events = new Events(log)
  logEvents(events, log)
  const feed: FeedFacts = { feed: 'mexc-spot', exchange: 'mx', accountRef: 1, clients: [3, 4] }
  const fail = (message: string, facts: FeedFacts = feed) => {
    const [clientRef = 0] = facts.clients
    events.emit('streamEnded', { ...facts, reason: 'unreachable', detail: message })
    events.emit('streamFailed', { ...facts, step: 'write', error: new Error(message) })
    const { feed: name, exchange } = facts
    events.emit('gapNotRead', { feed: name, exchange, clientRef, error: new Error(message) })
    return lines.splice(0).length
  }
  expect([fail('down'), fail('down'), fail('busy'), fail('busy')]).toEqual([3, 0, 3, 0])
  expect(fail('busy', { ...feed, accountRef: 2, clients: [9] })).toBe(3)
  const state = { reason: null, before: 'gap', beforeMs: 1 } as const
  events.emit('streamState', { ...feed, ...state, state: 'reconciling' })
  expect(fail('busy')).toBe(0)
  events.emit('streamState', { ...feed, ...state, state: 'live' })
  expect(fail('busy')).toBe(3)
})
