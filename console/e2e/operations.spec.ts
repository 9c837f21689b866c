import type { Page } from '@playwright/test'
import {
  changeClientLimits,
  dropQueueEntry,
  dropQueueOfClient,
  endOrder,
  getClientStop,
  getExchangeStop,
  getOperations,
  getOperationsHistory,
  listNodes,
  listOrders,
  listQueue,
  resumeClient,
  resumeExchange,
  stopClient,
  stopEverything,
  stopExchange,
} from 'schema'
import { expectAccessible, expectAccessibleAtBothWidths } from './support/axe.ts'
import { openFrozen, passMs, stepUntilVisible } from './support/freeze-clock.ts'
import {
  BROKEN,
  BUSY,
  CALM,
  clientNowOf,
  exchangeOf,
  FLOODER,
  groupOf,
  historyOf,
  queueOf,
  trouble,
  unknownOf,
} from './support/operations-samples.ts'
import { limitsOf, stopOf } from './support/samples.ts'
import { type Gateway, settle } from './support/stub-gateway.ts'
import { expect, expectNoExcess, pressFirst, reopen, test, toastOf } from './support/test.ts'

const ADDRESS = '/operations'
const panelOf = (page: Page, name: string) =>
  page.getByRole('region', { name: new RegExp(`^${name} (real|paper)`) })
const cardOf = (page: Page, name: string | RegExp) => page.getByRole('region', { name })
const figureOf = (page: Page, exchange: string, name: string) =>
  panelOf(page, exchange)
    .locator('dl > div', { hasText: new RegExp(`^${name}`) })
    .locator('dd')
const stopButton = (page: Page) => panelOf(page, 'MEXC').getByRole('button', { name: 'Stop MEXC' })
const stopDialog = (page: Page, what: string) =>
  page.getByRole('dialog', { name: `Stop ${what}`, exact: true })
const stopBodies = (gateway: Gateway) =>
  gateway.calls(stopExchange).map((call) => call.postDataJSON())
const HOLD_MS = 1000
const OUTCOMES = [unknownOf(), unknownOf({ id: 'c-1', clientOrderId: 'grid-7-43', tries: 5 })]

test.beforeEach(({ gateway, signedIn: _ }) => {
  gateway.respond(getOperations, { body: trouble() })
  gateway.respond(getOperationsHistory, { body: historyOf() })
  // Not all 79 that wait: each row that is drawn makes every look at the page slower.
  gateway.respond(listQueue, { body: [...queueOf(14), ...queueOf(3, 'bg')] })
  gateway.respond(listOrders, { body: OUTCOMES })
})

/** The stop of an exchange and the state that follows from it, as the gateway has them. */
function respondStopped(gateway: Gateway): void {
  const stop = stopOf({ dropped: 82, inFlight: 3, cancelled: 0 })
  gateway.respond(getOperations, {
    body: trouble({
      exchanges: [
        exchangeOf({ state: 'stopped', since: stop.startedAt, reason: stop.reason, stop }),
        BROKEN,
      ],
    }),
  })
}

test('what the page of a flooding bot and a broken exchange shows, and where it leads', async ({
  page,
  gateway,
}) => {
  await test.step('each exchange says what waits, how long a new order would wait, and why it does not run', async () => {
    await page.goto(ADDRESS)
    await expect(figureOf(page, 'MEXC', 'Waiting')).toHaveText('79')
    await expect(figureOf(page, 'MEXC', 'Wait for a new order')).toHaveText(/^500\sms$/)
    await expect(figureOf(page, 'MEXC', 'Oldest waiting')).toHaveText(/^21\ss$/)
    await expect(figureOf(page, 'MEXC', 'Rate')).toHaveText('1.5/s (limit 2/s)')
    await expect(panelOf(page, 'MEXC')).toContainText(/Busiest client: 39\ss/)
    await expect(panelOf(page, 'MEXC')).toContainText('Last error 4')
    const bitget = panelOf(page, 'Bitget')
    await expect(bitget).toContainText('Broken')
    await expect(bitget).toContainText(/for 3\smin/)
    await expect(bitget).toContainText('Bitget did not respond within 10000 ms')
    await expect(bitget).toContainText(/Next try in/)
    await expect(figureOf(page, 'Bitget', 'Wait for a new order')).toHaveText('refused')
  })
  await test.step('an entry of the queue leads to its order', async () => {
    const row = (place: string) =>
      page.getByRole('table', { name: 'Queue' }).getByRole('row', { name: place, exact: false })
    const link = row('MEXC 2 ').getByRole('link', { name: 'grid-7-1: show what happened to it' })
    await expect(link).toHaveAttribute('href', '/orders/5f6ad51b-2f0f-4f5a-9d55-000000000001')
    await expect(row('MEXC 3 ').getByRole('link')).toHaveText('Show the order')
    await expect(row('MEXC 5 ')).toContainText('GET /api/mx/v1/getAccount')
    await expect(row('MEXC 5 ').getByRole('link')).toHaveCount(0)
  })
  await test.step('an open outcome leads to its order', async () => {
    const link = page.getByRole('link', { name: 'grid-7-42' })
    await expect(link).toHaveAttribute('href', '/orders/0f6ad51b-2f0f-4f5a-9d55-6f1f0c7e9a10')
    await expect(cardOf(page, /^Open outcomes \(2\)/)).toContainText('7 times')
  })
  await test.step('a gateway that is alone on its database is not asked for nodes', async () => {
    await expect(cardOf(page, /^Open outcomes/)).toBeVisible()
    await settle(page)
    await expect(cardOf(page, /^Nodes/)).toHaveCount(0)
    expect(gateway.calls(listNodes)).toHaveLength(0)
  })
  await test.step('axe finds nothing: a flooding bot and a broken exchange', async () => {
    await expect(page.getByRole('table', { name: 'Queue' })).toBeVisible()
    await expectAccessibleAtBothWidths(page)
  })
  await test.step('charts are folded; their values are read out by the arrow keys, and are there as a table', async () => {
    await expect(page.getByText('Show as table')).toHaveCount(0)
    await page.getByText('Charts of MEXC').click()
    const values = panelOf(page, 'MEXC').getByRole('slider', { name: 'Waiting on MEXC, values at' })
    await expect(values).toHaveAttribute('aria-valuetext', /^15:30:17, Cancels 2, /)
    await values.press('ArrowLeft')
    await expect(values).toHaveAttribute('aria-valuetext', /^15:30:12, /)
    await values.press('Home')
    await expect(values).toHaveAttribute('aria-valuetext', /^15:25:22, /)
    await panelOf(page, 'Bitget').getByText('Charts of Bitget').click()
    await expect(page.getByText('Show as table')).toHaveCount(1)
    await panelOf(page, 'Bitget').getByText('Charts of Bitget').click()
    await panelOf(page, 'MEXC').getByText('Show as table').click()
    const table = page.getByRole('table', { name: 'Waiting on MEXC' })
    await expect(table.getByRole('row')).toHaveCount(61)
    await page.getByText('24 hours', { exact: true }).click()
    await expect(page).toHaveURL(/span=24h/)
  })
  await test.step('charts stay unfolded where a person left them so', async () => {
    await reopen(page, ADDRESS)
    await expect(panelOf(page, 'MEXC').getByRole('slider').first()).toBeVisible()
    await expect(panelOf(page, 'Bitget').getByRole('slider')).toHaveCount(0)
  })
})

test('an exchange is stopped by a held press or its name, never by two Enters; clients keep their places', async ({
  page,
  gateway,
}) => {
  const dialog = stopDialog(page, 'MEXC')
  const button = dialog.getByRole('button', { name: 'Stop MEXC' })
  const open = async () => {
    await stopButton(page).press('Enter')
    await passMs(page, 400)
    await expect(button).toBeEnabled()
  }
  const hold = async () => {
    await button.focus()
    await page.keyboard.down('Space')
    await passMs(page, HOLD_MS - 50)
  }
  await openFrozen(page, ADDRESS, stopButton(page))
  await test.step('the dialog says what the stop does, and Enter asks for the name', async () => {
    await open()
    await expect(dialog.getByRole('status')).toHaveText(
      'Drops 79 waiting requests, 9 orders stay open.',
    )
    await dialog.getByLabel('Also cancel open orders').check()
    await expect(dialog.getByRole('status')).toHaveText(/, cancels 9 orders, about 2\ss\.$/)
    await dialog.getByText('What still passes').click()
    const row = dialog.getByRole('row', { name: 'Stop an exchange, or everything' })
    await expect(row).toContainText('refused')
    await dialog.getByLabel('Reason').press('Enter')
    await expect(dialog.getByLabel('Type MEXC to stop it')).toBeFocused()
    for (let press = 0; press < 2; press += 1) await page.keyboard.press('Enter')
    await settle(page)
    expect(stopBodies(gateway)).toEqual([])
  })
  await test.step('a stop that the gateway refuses leaves everything as it was', async () => {
    gateway.respond(stopExchange, { status: 503, body: { message: 'The disk is full' } })
    await page.keyboard.type('MEXC')
    await page.keyboard.press('Enter')
    await stepUntilVisible(page, toastOf(page))
    await expect(toastOf(page)).toContainText('503: The disk is full')
    await expect(panelOf(page, 'MEXC')).toContainText('Running')
    expect(stopBodies(gateway)).toEqual([{ reason: 'Stopped in the console', cancelOrders: true }])
    await page.keyboard.press('Escape')
  })
  await test.step('a held press stops, and the dialog shows how far the stop is', async () => {
    await open()
    await dialog.getByLabel('Reason').fill(' strategy misbehaves ')
    gateway.respond(stopExchange, () => {
      const stop = stopOf({ completedAt: null, cancelled: 318, total: 485, estimateSeconds: 80 })
      gateway.respond(getExchangeStop, { body: stop })
      return { body: {} }
    })
    await hold()
    expect(stopBodies(gateway)).toHaveLength(1)
    await passMs(page, 50)
    await expect.poll(() => gateway.calls(stopExchange).length).toBe(2)
    await page.keyboard.up('Space')
    expect(stopBodies(gateway)[1]).toEqual({ reason: 'strategy misbehaves', cancelOrders: false })
    const progress = dialog.getByRole('status')
    await expect(progress).toHaveText(/^318 of 485 cancelled, about 1\smin 20\ss left, 0 failed$/)
    await expect(dialog).toContainText('By ana@example.com')
    await page.keyboard.press('Escape')
    await passMs(page, 400)
    await expect(dialog).toHaveCount(0)
    await expect(stopButton(page)).toBeFocused()
  })
  await test.step('the clients keep their places while somebody is among them', async () => {
    const a = clientNowOf({ clientId: 'a', waiting: 5 })
    const b = clientNowOf({ id: 8, clientId: 'b', waiting: 3 })
    gateway.respond(getOperations, { body: trouble({ clients: [a, b] }) })
    const rows = page.getByRole('table', { name: 'Clients' }).getByRole('rowheader')
    await passMs(page, 2000)
    await expect(rows).toHaveText(['a', 'b'])
    await rows.first().hover()
    gateway.respond(getOperations, { body: trouble({ clients: [{ ...b, waiting: 9 }, a] }) })
    await passMs(page, 2000)
    const waiting = page.getByRole('button', { name: '9 waiting from b: show in the queue' })
    await expect(waiting).toBeVisible()
    await expect(rows).toHaveText(['a', 'b'])
    await page.mouse.move(0, 0)
    await expect(rows).toHaveText(['b', 'a'])
  })
})

test('a flooding client, an entry of the queue and the nodes', { tag: '@both' }, async ({
  page,
  gateway,
}) => {
  gateway.respond(getOperations, { body: trouble({ hasNodes: true }) })
  gateway.respond(listNodes, { body: groupOf() })
  await page.goto(ADDRESS)
  await test.step('who floods is first; it is halted or stopped from its row', async () => {
    gateway.respond(changeClientLimits, { body: limitsOf({ state: 'halted', mode: 'enforce' }) })
    // From then on, also the dialog's own reads find it.
    gateway.respond(stopClient, () => {
      gateway.respond(getClientStop, { body: stopOf() })
      return { body: stopOf() }
    })
    const first = page.getByRole('table', { name: 'Clients' }).locator('tbody tr').first()
    await expect(first).toContainText(FLOODER)
    await expect(first).toContainText('78 % of total')
    const dialog = stopDialog(page, FLOODER)
    await first.getByRole('button', { name: `Stop and cancel ${FLOODER}` }).click()
    await expect(dialog.getByRole('radio')).toHaveCount(3)
    await expect(dialog.getByRole('radio').first()).toHaveAccessibleName('Reducing')
    await dialog.getByText('Reducing').first().click()
    await expect(dialog.getByRole('status')).toHaveText(/^Checks 4 waiting orders .* stay open\.$/)
    await dialog.getByRole('button', { name: 'Set to reducing' }).click()
    await expect(toastOf(page)).toContainText('is reducing now')
    await expect(dialog).toHaveCount(0)
    await first.getByRole('button', { name: `Halt ${FLOODER}` }).click()
    await expect(dialog.getByRole('status')).toHaveText(/^Refuses 4 waiting orders when/)
    await dialog.getByRole('button', { name: 'Halt client' }).click()
    await expect(toastOf(page)).toContainText('Client Halted')
    const states = gateway.calls(changeClientLimits).map((call) => call.postDataJSON())
    expect(states).toEqual([{ state: 'reducing' }, { state: 'halted' }])
    expect(gateway.calls(stopClient)).toHaveLength(0)
    await first.getByRole('button', { name: `Stop and cancel ${FLOODER}` }).click()
    await expect(dialog.getByLabel('Reason')).toBeFocused()
    await dialog.getByRole('button', { name: 'Stop client' }).click()
    await dialog.getByLabel(`Type ${FLOODER}`).fill(FLOODER)
    await page.keyboard.press('Enter')
    await expect(dialog).toContainText('strategy misbehaves')
    expect(gateway.calls(stopClient)[0]?.postDataJSON()).toMatchObject({ cancelOrders: true })
    await page.keyboard.press('Escape')
    await expect(dialog).toHaveCount(0)
  })
  await test.step('one entry of the queue is dropped after a question that names it', async () => {
    const waits = unknownOf({ id: queueOf(2)[1]?.requestId ?? '' })
    gateway.respond(listOrders, { body: [...OUTCOMES, waits] })
    await page.getByRole('button', { name: `Drop MEXC 2 from ${FLOODER}` }).click()
    const dialog = page.getByRole('dialog', { name: 'Drop this request?' })
    await expect(dialog).toContainText('POST /api/mx/v1/submitOrder')
    await expect(dialog).toContainText('grid-7-1, BUY limit 0.01 BTCUSDT at 60000')
    gateway.respond(listOrders, { body: OUTCOMES })
    gateway.respond(dropQueueEntry, { status: 204 })
    await dialog.getByRole('button', { name: 'Drop' }).click()
    await expect(toastOf(page)).toContainText('Request Dropped')
    expect(gateway.calls(dropQueueEntry)[0]?.url()).toContain('/api/admin/queue/mx/2')

    gateway.respond(dropQueueEntry, { status: 404, body: { message: 'No' } })
    await page.getByRole('button', { name: `Drop MEXC 3 from ${FLOODER}` }).click()
    await dialog.getByRole('button', { name: 'Drop' }).click()
    await expect(toastOf(page)).toContainText('It already left the queue')
  })
  await test.step('an order of unknown outcome is ended with what was found at the exchange', async () => {
    const card = cardOf(page, /^Open outcomes/)
    // The gateway ends its own cancels itself.
    await expect(card).toContainText('grid-7-43')
    await expect(card.getByRole('button', { name: /^End/ })).toHaveCount(1)
    await card.getByRole('button', { name: `End grid-7-42 of ${FLOODER}` }).click()
    const dialog = page.getByRole('dialog', { name: 'End this order of unknown outcome?' })
    const end = dialog.getByRole('button', { name: 'End the order' })
    await expect(dialog).toContainText('Look it up at the exchange first')
    await dialog.getByLabel('Reason').fill('neither open nor in the history')
    await expect(end).toBeDisabled()
    await dialog.getByText('Not carried out').click()
    await expectAccessible(page)
    gateway.respond(endOrder, { body: unknownOf({ state: 'resolved' }) })
    await end.click()
    await expect(toastOf(page)).toContainText('Order Ended')
    const [call] = gateway.calls(endOrder)
    expect(call?.url()).toContain('/api/admin/orders/0f6ad51b-2f0f-4f5a-9d55-6f1f0c7e9a10/end')
    const body = { outcome: 'not-done', reason: 'neither open nor in the history' }
    expect(call?.postDataJSON()).toEqual(body)
  })
  await test.step('each node says what it is and what is wrong with it', async () => {
    const card = cardOf(page, 'Nodes (4)')
    await expect(card).toContainText('Owner number 7')
    for (const [name, text] of [
      ['https://10.0.0.2:8443', 'Owner'],
      ['https://10.0.0.3:8443', /Standby.*1,800\sms behind/],
      ['https://10.0.0.4:8443', /Shuts down.*Other version.*0\.9\.0/],
      ['https://10.0.0.4:8443', /Other keys than the owner.*not measured/],
      ['without a URL, c4a5-4ed', /Not seen for 40\ss/],
    ] as const)
      await expect(card.getByRole('row', { name })).toContainText(text)
    await expect(card).toContainText(/standby-1: streaming, 1\.0\skB behind \(3\sms\)/)
    const unread = 'far-away: its state can be read only with the role pg_monitor'
    await expect(card).toContainText(unread)
    await expectAccessible(page)
  })
  await test.step('at 320 and 390 px nothing scrolls sideways', async () => {
    for (const name of ['Queue', 'Nodes'])
      await expect(page.getByRole('table', { name })).toBeVisible()
    await expectNoExcess(page, 320, 390)
  })
})

test('a stop is shown with who began it, extended and ended', async ({ page, gateway }) => {
  await page.goto(ADDRESS)
  await expect(stopButton(page)).toBeVisible()
  await test.step('the orders of a stopped exchange can be cancelled', async () => {
    respondStopped(gateway)
    await expect(panelOf(page, 'MEXC')).toContainText('By ana@example.com, since')
    await expect(panelOf(page, 'MEXC')).toContainText('In flight when stopped: 3')
    await expect(panelOf(page, 'MEXC').getByRole('status')).toContainText('82 requests dropped')
    gateway.respond(stopExchange, { body: {} })
    await panelOf(page, 'MEXC').getByRole('button', { name: 'Cancel open orders' }).click()
    await expect.poll(() => gateway.calls(stopExchange).length).toBe(1)
    expect(stopBodies(gateway)[0]).toMatchObject({ cancelOrders: true })
  })
  await test.step('axe finds nothing: a stopped exchange, and the question before a drop', async () => {
    await page.getByRole('button', { name: `Drop MEXC 2 from ${FLOODER}` }).click()
    await expect(page.getByRole('dialog').getByRole('button', { name: 'Drop' })).toBeEnabled()
    await expectAccessibleAtBothWidths(page)
    await page.keyboard.press('Escape')
  })
  await test.step('a stopped exchange is resumed after a question', async () => {
    gateway.respond(resumeExchange, { body: {} })
    await panelOf(page, 'MEXC').getByRole('button', { name: 'Resume MEXC' }).click()
    await page.getByRole('dialog').getByRole('button', { name: 'Resume MEXC' }).click()
    await expect.poll(() => gateway.calls(resumeExchange).length).toBe(1)
    gateway.respond(getOperations, { body: trouble() })
    await expect(toastOf(page)).toContainText('MEXC Resumed')
    await expect(panelOf(page, 'MEXC')).toContainText('Running')
  })
  await test.step('everything is stopped in a dialog by its name', async () => {
    gateway.respond(stopEverything, { body: stopOf() })
    await page.getByRole('button', { name: 'Stop everything' }).click()
    const dialog = page.getByRole('dialog', { name: 'Stop everything' })
    await expect(dialog.getByRole('button', { name: 'Stop everything' })).toBeEnabled()
    await dialog.getByLabel('Reason').fill('unusual losses')
    await dialog.getByLabel('Reason').press('Enter')
    await dialog.getByLabel('Type everything').fill('everything')
    await page.keyboard.press('Enter')
    await expect.poll(() => gateway.calls(stopEverything).length).toBe(1)
    const body = { reason: 'unusual losses', cancelOrders: true }
    expect(gateway.calls(stopEverything)[0]?.postDataJSON()).toEqual(body)
  })
})

test('the clients and their queue, and what cannot be read', async ({ page, gateway }) => {
  gateway.respond(getOperationsHistory, { status: 500, body: { message: 'The disk is full' } })
  await page.goto(ADDRESS)
  await page.getByText('Charts of MEXC').click()
  await test.step('charts whose history cannot be read say so, and read again on demand', async () => {
    const note = panelOf(page, 'MEXC').getByRole('alert')
    await expect(note).toContainText('Could not read the history of the queues')
    gateway.respond(getOperationsHistory, { body: historyOf() })
    await pressFirst(gateway, getOperationsHistory, note.getByRole('button', { name: 'Try again' }))
    await expect(panelOf(page, 'MEXC').getByRole('slider').first()).toBeVisible()
  })
  await test.step('a halt that shadow mode ignores is reported as a failure', async () => {
    gateway.respond(changeClientLimits, { body: limitsOf({ state: 'halted', mode: 'shadow' }) })
    await page.getByRole('button', { name: `Halt ${FLOODER}` }).click()
    await page.getByRole('dialog').getByRole('button', { name: 'Halt client' }).click()
    await expect(toastOf(page)).toContainText('shadow mode')
  })
  await test.step('all that waits of a client is shown from its row, and dropped at every exchange', async () => {
    gateway.respond(dropQueueOfClient, (request) => ({
      body: { dropped: request.url().includes('/mx') ? 64 : 3 },
    }))
    await page.getByRole('button', { name: `64 waiting from ${FLOODER}` }).click()
    await expect(cardOf(page, /^Queue/).getByRole('heading')).toBeFocused()
    await expect(page).toHaveURL(new RegExp(`client=${FLOODER}`))
    await page.getByRole('button', { name: `Drop all 15 from ${FLOODER}` }).click()
    const dialog = page.getByRole('dialog', { name: `Drop everything waiting from ${FLOODER}?` })
    await expect(dialog.getByRole('status')).toHaveText(
      'Drops 6 waiting requests, 9 orders stay open.',
    )
    await dialog.getByRole('button', { name: 'Drop all' }).click()
    await expect(toastOf(page)).toContainText('67 requests were not sent')
    expect(gateway.calls(dropQueueOfClient)).toHaveLength(2)
  })
  await test.step('a stopped client is resumed from its row, and a halted one gets its state back', async () => {
    const halted = clientNowOf({ id: 8, clientId: CALM, state: 'halted' })
    const stopped = clientNowOf({ id: 9, clientId: FLOODER, state: 'stopped' })
    gateway.respond(getOperations, { body: trouble({ clients: [halted, stopped] }) })
    gateway.respond(resumeClient, { body: stopOf({ resumedAt: '2026-03-05T14:31:00.000Z' }) })
    gateway.respond(changeClientLimits, { body: limitsOf() })
    await reopen(page, ADDRESS)
    const resume = async (clientId: string) => {
      await page.getByRole('button', { name: `Resume ${clientId}` }).click()
      const dialog = page.getByRole('dialog', { name: `Resume ${clientId}?` })
      await dialog.getByRole('button', { name: 'Resume client' }).click()
      await expect(dialog).toHaveCount(0)
    }
    await resume(FLOODER)
    const urls = gateway.calls(resumeClient).map((call) => call.url())
    expect(urls).toEqual([expect.stringContaining('/9/')])
    await resume(CALM)
    expect(gateway.calls(changeClientLimits).at(-1)?.postDataJSON()).toEqual({ state: 'active' })
    expect(gateway.calls(changeClientLimits)).toHaveLength(2)
    expect(gateway.calls(resumeClient)).toHaveLength(1)
    await expect(page).toHaveURL(ADDRESS)
  })
})

test('many entries, no owner, and nothing at all', async ({ page, gateway }) => {
  await test.step('a queue of 1,000 entries shows its first ones and the number of all', async () => {
    const exchanges = [
      { ...BUSY, queueSize: 1200 },
      { ...BROKEN, queueSize: 0 },
    ]
    gateway.respond(getOperations, { body: trouble({ exchanges }) })
    gateway.respond(listQueue, { body: queueOf(1000) })
    await page.goto(ADDRESS)
    const card = cardOf(page, 'Queue (1,200)')
    await expect(card).toContainText(/Showing 8 of 1,000 entries/)
    await expect(card).toContainText('Only the first 1,000 of each exchange are listed.')
    await card.getByRole('button', { name: 'Show 100 more' }).click()
    await expect(card).toContainText(/Showing 1\d\d of 1,000 entries/)
  })
  await test.step('without an owner the nodes say that nothing is sent', async () => {
    gateway.respond(getOperations, { body: trouble({ hasNodes: true }) })
    const [owner, ...others] = groupOf().nodes
    const nodes = owner === undefined ? [] : [{ ...owner, isMissing: true }, ...others]
    gateway.respond(listNodes, { body: groupOf({ nodes }) })
    await reopen(page, ADDRESS)
    await expect(page.getByText('No node is the owner: nothing is sent')).toBeVisible()
    gateway.respond(listNodes, { body: groupOf({ nodes: [], owner: null, standbys: [] }) })
    await reopen(page, ADDRESS)
    await expect(page.getByText('No node has said that it runs')).toBeVisible()
  })
  await test.step('with nothing to show, each part says so and what to do next', async () => {
    const waits = { estimatedWaitMs: 0, busiestWaitMs: 0 }
    const exchanges = [exchangeOf({ queueSize: 0, nextSlots: [], ...waits })]
    const nothing = { clients: [], unknownOrders: 0, alerts: [] }
    gateway.respond(getOperations, { body: trouble({ exchanges, ...nothing }) })
    gateway.respond(listQueue, { body: [] })
    gateway.respond(listOrders, { body: [] })
    gateway.respond(getOperationsHistory, { body: { stepMs: 5000, exchanges: [] } })
    await reopen(page, ADDRESS)
    await expect(figureOf(page, 'MEXC', 'Wait for a new order')).toHaveText('none')
    await expect(page.getByText('A new request is sent at once.')).toBeVisible()
    await expect(page.getByRole('link', { name: 'Connect a bot' }).last()).toBeVisible()
    await expect(page.getByText('Every outcome is known')).toBeVisible()
    await expect(page.getByText('Nothing waits', { exact: true })).toBeVisible()
    await expectAccessible(page)
  })
  await test.step('nothing says that a request is sent where it is refused', async () => {
    const idle = { queueSize: 0, nextSlots: [] }
    const held = { clientId: CALM, state: 'broken', nextTryAt: null } as const
    const stopped = exchangeOf({ ...idle, state: 'stopped', stop: stopOf(), accounts: [held] })
    const exchanges = [stopped, { ...BROKEN, ...idle }]
    gateway.respond(getOperations, { body: trouble({ exchanges, clients: [], alerts: [] }) })
    await reopen(page, ADDRESS)
    const refused = 'New requests are refused until it is resumed.'
    await expect(panelOf(page, 'MEXC')).toContainText('Held back on their own too')
    await expect(panelOf(page, 'Bitget')).toContainText('new requests are refused until one')
    await expect(cardOf(page, 'Queue (0)')).toContainText(`MEXC: ${refused} Bitget: New requests`)
    await expect(page.getByText(/at once|are sent/)).toHaveCount(0)
  })
})
