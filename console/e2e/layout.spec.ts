import type { OpenAlert } from 'schema'
import { getOperations, listApiKeys, listClients, listLogs, listOrders, listQueue } from 'schema'
import { clientNowOf, queueOf, trouble } from './support/operations-samples.ts'
import { orderOf } from './support/order-samples.ts'
import { apiKeyOf, clientOf } from './support/samples.ts'
import { expect, expectRead, goWithin, test } from './support/test.ts'

interface Layout {
  readonly address: string
  /** What a person comes for, as a selector, and where it begins at most at 1440 × 900. */
  readonly objects: Readonly<Record<string, number>>
  /** Of the whole page at 1440 × 900, in pixels. */
  readonly heightMax?: number
}

/**
 * What each page is about begins above y = 320, with ten alerts and 20 clients, and its first
 * object on the first screen of a phone.
 */
const PAGES: readonly Layout[] = [
  {
    address: '/',
    objects: { 'main dl': 320, 'section:has-text("Needs attention")': 480 },
    heightMax: 1300,
  },
  // A phone shows the text of an endpoint before its form.
  {
    address: '/bitget/trading/spot',
    objects: { 'section:has-text("Place")': 320, '#try-it': 320 },
  },
  { address: '/connect', objects: { 'section:has-text("Before the first call")': 320 } },
  { address: '/orders', objects: { 'table[aria-label="Orders"]': 320 } },
  { address: '/logs', objects: { '[aria-labelledby="log-list"]': 320 }, heightMax: 900 },
  {
    address: '/operations',
    objects: {
      'section[aria-label="Exchanges"]': 320,
      'table[aria-label="Clients"] tbody tr': 900,
      '#queue tbody tr': 900,
    },
    heightMax: 1600,
  },
  { address: '/audit', objects: { 'table[aria-label="Entries"]': 320 } },
  { address: '/people', objects: { 'table[aria-label="People"]': 320 } },
  { address: '/approvals', objects: { 'main section': 320 } },
  { address: '/account', objects: { 'main section': 320 } },
  {
    address: '/client-credentials',
    objects: { 'main h2:text-matches("Client Credentials")': 320, 'main li': 350 },
    heightMax: 1650,
  },
  { address: '/client-credentials/7', objects: { 'main h2:text-is("Now")': 320 } },
  { address: '/api-keys', objects: { 'main table': 320, 'main tbody tr': 350 } },
]

const ids = Array.from({ length: 20 }, (_, index) => `client_17727174${10 + index}000_k3v9q0z7m`)

const alerts: readonly OpenAlert[] = [
  ...['bg', 'mx'].map((subject) => ({ name: 'exchange.broken', subject })),
  ...ids.slice(0, 4).map((id) => ({ name: 'key.refused', subject: `mx/${id}` })),
  ...ids.slice(4, 6).map((subject) => ({ name: 'client.refused', subject })),
  ...[
    ['client.silent', ids[6] ?? ''],
    ['disk.low', 'disk'],
    ['clock.drift', 'mx'],
    ['backup.old', 'database'],
  ].map(([name = '', subject = '']) => ({ name, subject })),
].map((alert) => ({
  ...alert,
  since: '2026-03-05T14:27:12.000Z',
  count: 1,
  text: `${alert.subject}: something is wrong, which this sentence describes as long as the gateway does. Look at it.`,
}))

/** Tried again, and the other pages are measured too. */
const soft = expect.configure({ soft: true })

test('what each page is about comes first, on a bad day', async ({
  page,
  gateway,
  signedIn: _,
}) => {
  gateway.respond(listClients, {
    body: ids.map((clientId, index) => clientOf({ id: index + 7, clientId })),
  })
  gateway.respond(listApiKeys, {
    body: ids.map((clientId) => apiKeyOf({ clientId, testStatus: 'untested' })),
  })
  gateway.respond(listOrders, { body: [orderOf()] })
  const [entry] = listLogs.sample.response
  gateway.respond(listLogs, {
    body: Array.from({ length: 200 }, (_, index) => ({ ...entry, id: index + 1 })),
  })
  gateway.respond(listQueue, { body: queueOf(72) })
  gateway.respond(getOperations, {
    body: trouble({
      alerts: [...alerts],
      clients: ids.map((clientId, index) => clientNowOf({ id: index + 7, clientId })),
    }),
  })
  await page.goto('/connect')
  for (const { address, objects, heightMax = Number.POSITIVE_INFINITY } of PAGES)
    await test.step(address, async () => {
      await page.setViewportSize({ width: 1440, height: 900 })
      await goWithin(page, address)
      await expectRead(page)
      const topOf = (object: string) =>
        page
          .locator(object)
          .first()
          .evaluate((element) => element.getBoundingClientRect().top + scrollY)
      for (const [object, topMax] of Object.entries(objects))
        expect.soft(await topOf(object), `${address}: ${object}`).toBeLessThan(topMax)
      const height = await page.evaluate(() => document.documentElement.scrollHeight)
      expect.soft(height, `${address}: height`).toBeLessThanOrEqual(heightMax)
      await page.setViewportSize({ width: 390, height: 844 })
      // It sees its new width a moment later.
      for (const object of Object.keys(objects).slice(0, 1))
        await soft.poll(() => topOf(object), `${address}: ${object}, phone`).toBeLessThan(844)
    })
})

test('a long list is made in steps: no page makes all of its rows at once', async ({
  page,
  gateway,
  signedIn: _,
}) => {
  const many = Array.from({ length: 120 }, (_, index) => `bot-${index}`)
  const [entry] = listLogs.sample.response
  gateway.respond(listClients, {
    body: many.map((clientId, id) => clientOf({ id: id + 7, clientId })),
  })
  gateway.respond(listApiKeys, { body: many.map((clientId) => apiKeyOf({ clientId })) })
  gateway.respond(listOrders, { body: many.map((id) => orderOf({ id })) })
  gateway.respond(listLogs, {
    body: Array.from({ length: 1000 }, (_, index) => ({ ...entry, id: index + 1 })),
  })
  gateway.respond(listQueue, { body: queueOf(72) })
  gateway.respond(getOperations, {
    body: trouble({ clients: many.map((clientId, id) => clientNowOf({ id: id + 7, clientId })) }),
  })
  await page.goto('/connect')
  // What React adds in one go is one call of the observer.
  await page.evaluate(() => {
    const rowsIn = (node: Node) =>
      node instanceof Element
        ? node.querySelectorAll('tr, main li').length + Number(node.matches('tr, main li'))
        : 0
    new MutationObserver((changes) => {
      const added = changes.flatMap(({ addedNodes }) => [...addedNodes])
      const rows = added
        .filter((node) => node.isConnected)
        .reduce((sum, node) => sum + rowsIn(node), 0)
      const { dataset } = document.documentElement
      dataset.most = `${Math.max(rows, Number(dataset.most ?? 0))}`
    }).observe(document.body, { childList: true, subtree: true })
  })
  for (const address of ['/client-credentials', '/api-keys', '/orders', '/logs', '/operations'])
    await test.step(address, async () => {
      await page.evaluate(() => void delete document.documentElement.dataset.most)
      await goWithin(page, address)
      await expectRead(page)
      const most = await page.evaluate(() => Number(document.documentElement.dataset.most))
      expect.soft(most, address).toBeGreaterThan(10)
      expect.soft(most, address).toBeLessThanOrEqual(60)
    })
})
