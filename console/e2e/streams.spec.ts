import type { Page } from '@playwright/test'
import {
  getOrderLife,
  listAccountStreams,
  listClientStreams,
  type OrderEvent,
  streamEvents,
} from 'schema'
import { expectAccessibleAtBothWidths } from './support/axe.ts'
import { lifeOf } from './support/order-samples.ts'
import type { Gateway } from './support/stub-gateway.ts'
import { clipboardOf, expect, expectNoExcess, test } from './support/test.ts'

test.beforeEach(({ signedIn: _ }) => {})

/** A stream that the test writes. */
function streamOf(gateway: Gateway) {
  let write = (_text: string | undefined) => {}
  gateway.respond(streamEvents, () => {
    const waiting: (string | undefined)[] = [':\n\n']
    let wake = () => {}
    write = (text) => {
      waiting.push(text)
      wake()
    }
    async function* pieces() {
      for (;;) {
        const text = waiting.shift()
        if (text !== undefined) yield text
        else if (waiting.length > 0) return
        else await new Promise<void>((resolve) => (wake = resolve))
      }
    }
    return { headers: { 'content-type': 'text/event-stream' }, pieces: pieces() }
  })
  return {
    send: (id: string, event: object) => write(`id: ${id}\ndata: ${JSON.stringify(event)}\n\n`),
    end(comment: string) {
      write(comment)
      write(undefined)
      write(undefined)
    },
  }
}

const order = streamEvents.sample.response
const state = {
  ...{ ...order, type: 'state', time: null },
  data: { state: 'live', since: 1, reason: null },
}
const eventsOf = (page: Page) => page.getByRole('log', { name: 'Events' }).getByRole('listitem')
const tokenOf = (page: Page) => page.getByRole('textbox', { name: 'JWT token' })
const connectOf = (page: Page) =>
  page.getByRole('button', { name: /^(Connect|Resume after)/ }).first()

test('events appear live, the list holds still while somebody reads it, and a stream resumes after its end', {
  tag: '@both',
}, async ({ page, gateway }) => {
  const stream = streamOf(gateway)
  await page.goto('/streams')
  const region = page.getByRole('region', { name: 'Events', exact: true })
  await connectOf(page).click()
  await expect(tokenOf(page)).toBeFocused()
  expect(gateway.calls(streamEvents)).toHaveLength(0)
  await tokenOf(page).fill('Bearer the-token')
  await page.getByLabel('type', { exact: true }).fill('order,fill')
  await tokenOf(page).press('Enter')
  await expect(region.getByRole('status')).toHaveText('Connected')
  const [first] = gateway.calls(streamEvents)
  expect(first?.headers().authorization).toBe('Bearer the-token')
  expect(new URL(first?.url() ?? '').search).toBe('?type=order%2Cfill')

  await test.step('the newest is the first, in a line and as it came', async () => {
    stream.send('e-1', state)
    stream.send('e-2', order)
    await expect(eventsOf(page)).toHaveText([
      /order\s*Bitget spot\s*BTCUSDT buy limit 0.004 \/ 0.01 @ 50000 partiallyFilled/,
      /state\s*Bitget spot\s*live/,
    ])
    await eventsOf(page).first().locator('summary').click()
    await expect(eventsOf(page).first()).toContainText('"orderId": "1298765432109876543"')
    await eventsOf(page).first().getByRole('button', { name: 'Copy order' }).click()
    expect(await clipboardOf(page)).toBe(JSON.stringify(order))
    await expect(region).toContainText('Last id e-2')
  })
  await test.step('an opened event does not move, and the keyboard focus stays', async () => {
    stream.send('e-3', state)
    const newer = region.getByRole('button', { name: 'Show 1 new' })
    await expect(newer).toBeVisible()
    await expect(eventsOf(page)).toHaveCount(2)
    await newer.click()
    await expect(eventsOf(page)).toHaveCount(3)
    await region.getByRole('button', { name: 'Pause' }).click()
    stream.send('e-4', order)
    await expect(newer).toBeVisible()
    await region.getByRole('button', { name: 'Resume' }).click()
    await expect(eventsOf(page)).toHaveCount(4)
  })
  await test.step('axe finds nothing, and the page is as wide as the screen', async () => {
    await expectAccessibleAtBothWidths(page)
    await expectNoExcess(page, 320)
  })
  await test.step('the end shows its reason, and the next stream resumes', async () => {
    stream.end(': 4401 The token has expired\n\n')
    await expect(region.getByRole('alert')).toContainText('Get a new one')
    await page.getByRole('button', { name: 'Resume after the last event' }).click()
    await expect(region.getByRole('status')).toHaveText('Connected, resumed after the last event')
    const search = new URL(gateway.calls(streamEvents)[1]?.url() ?? '').searchParams
    expect(search.get('after')).toBe('e-4')
  })
  await test.step('a lost connection is opened again; a closed one is not', async () => {
    stream.end('')
    await expect.poll(() => gateway.calls(streamEvents).length).toBe(3)
    await page.getByRole('button', { name: 'Disconnect' }).click()
    await expect(region.getByRole('status')).toHaveText('Not connected')
    await region.getByRole('button', { name: 'Clear' }).click()
    await expect(eventsOf(page)).toHaveCount(0)
  })
  await test.step('a refusal shows the message of the gateway', async () => {
    const body = { code: 'TOO_MANY_SOCKETS', message: 'This client has 10 streams already' }
    gateway.respond(streamEvents, { status: 429, body: { success: false, ...body } })
    await connectOf(page).click()
    await expect(region.getByRole('alert')).toHaveText(
      'HTTP 429 TOO_MANY_SOCKETS This client has 10 streams already',
    )
  })
})

test('a flood is drawn as its last 200 events, and read out as one sentence', async ({
  page,
  gateway,
}) => {
  await page.clock.install()
  const stream = streamOf(gateway)
  await page.goto('/streams')
  await tokenOf(page).fill('the-token')
  await connectOf(page).click()
  await expect(
    page.getByRole('region', { name: 'Events', exact: true }).getByRole('status'),
  ).toHaveText('Connected')
  for (let number = 1; number <= 450; number += 1) stream.send(`e-${number}`, order)
  await page.clock.runFor(1_000)
  await expect(page.getByText('The last 200 of 450 events')).toBeVisible()
  await page.clock.runFor(10_000)
  await expect(
    page.getByRole('status').filter({ hasText: '450 new events. The last one: order BTCUSDT' }),
  ).toHaveCount(1)
})

test('the streams of accounts on Operations', { tag: '@both' }, async ({ page, gateway }) => {
  await page.goto('/operations#account-streams')
  const card = page.getByRole('region', { name: /^Account streams/ })
  await test.step('a stream with a gap shows the reason', async () => {
    await expect(card.getByRole('heading')).toHaveText('Account streams (2)')
    await expect(card).toContainText('WebSockets: MEXC 0, Bitget 1')
    const said = /arb-bot.*MEXC spot.*Gap for .*disconnected/s
    await expect(card).toContainText(said)
    await expect(card.getByRole('rowheader')).toHaveCount(0)
    await card.getByRole('button', { name: 'Show all 2' }).click()
    const [gap, live] = [card.getByRole('row').nth(1), card.getByRole('row').nth(2)]
    await expect(gap).toContainText(said)
    await expect(live).toContainText(/grid-bot.*Bitget classic.*Live for .*96.*2/s)
    await expectAccessibleAtBothWidths(page)
    await expectNoExcess(page, 320)
  })
  await test.step('of many streams, the live ones are shown by a button', async () => {
    const { response } = listAccountStreams.sample
    const [first, ...others] = response.feeds
    const feeds = Array.from({ length: 10 }, (_, n) => ({
      ...(others[0] ?? first),
      account: `${n}`,
    }))
    gateway.respond(listAccountStreams, { body: { ...response, feeds } })
    await page.reload()
    await expect(card).toContainText('All 10 are live.')
    await expect(card.getByRole('rowheader')).toHaveCount(0)
    await card.getByRole('button', { name: 'Show all 10' }).click()
    await expect(card.getByRole('rowheader')).toHaveCount(10)
  })
  await test.step('without any, it says what opens one', async () => {
    const none = { ...listAccountStreams.sample.response, feeds: [] }
    gateway.respond(listAccountStreams, { body: none })
    await page.reload()
    await expect(card).toContainText('No account stream is open')
    gateway.respond(listAccountStreams, { body: { ...none, isOn: false } })
    await page.reload()
    await expect(card).toContainText('ACCOUNT_STREAMS is off')
  })
})

test("a client's page has its account streams, and the connections of its bots", {
  tag: '@both',
}, async ({ page, gateway }) => {
  await page.goto('/client-credentials/7')
  const card = page.getByRole('region', { name: 'Streams' })
  await expect(card.getByRole('row').filter({ hasText: 'Bitget classic' })).toContainText(
    'Live for',
  )
  await expect(card.getByRole('row').filter({ hasText: 'Server-Sent Events' })).toContainText(
    /203\.0\.113\.7/,
  )
  await expect(card.getByRole('row').filter({ hasText: 'Bitget WebSocket' })).toContainText(
    'Reads too slowly',
  )
  await expectAccessibleAtBothWidths(page)
  const none = { ...listClientStreams.sample.response, feeds: [], streams: [] }
  gateway.respond(listClientStreams, { body: none })
  await page.reload()
  await expect(card).toContainText('No bot is connected')
  await card.getByRole('link', { name: 'Listen as this client' }).click()
  await expect(page).toHaveURL('/streams')
})

test('the life of an order shows the states that the exchange pushed', async ({
  page,
  gateway,
}) => {
  const life = lifeOf()
  const at = life.createdAt
  const pushed = (parts: Partial<OrderEvent>): OrderEvent => ({ at, type: 'pushed', ...parts })
  gateway.respond(getOrderLife, {
    body: lifeOf({
      ...{ filled: '10', averagePrice: '59999.5' },
      events: [
        pushed({ orderState: 'open', filled: '0', exchangeTime: '2026-03-05T13:30:43.500Z' }),
        pushed({ orderState: 'partially-filled', filled: '4' }),
        pushed({ orderState: 'filled', filled: '10', fills: 3 }),
      ],
    }),
  })
  await page.goto(`/orders/${life.id}`)
  const line = page.getByRole('region', { name: 'What happened' }).getByRole('listitem')
  await expect(line).toHaveText([
    /MEXC pushed: the order is open.*Time of MEXC: 13:30:43.500 UTC/,
    /MEXC pushed: partly filled.*Filled: 4\./,
    /MEXC pushed: filled.*Filled: 10, after 3 partial fills/,
  ])
  await expect(page.getByRole('region', { name: 'Facts' })).toContainText('10 at 59999.5')
})
