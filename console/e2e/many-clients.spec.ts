import { listClients } from 'schema'
import { samples } from './support/samples.ts'
import { expect, test } from './support/test.ts'

test.beforeEach(({ signedIn }) => void signedIn)

// A search that knows the first page only would not find the others.
test('a list of credentials in pages is shown and searched as a whole', async ({
  page,
  gateway,
}) => {
  const [sample] = samples.clients
  const all = Array.from({ length: 250 }, (_, index) => ({
    ...sample,
    id: 250 - index,
    clientId: `bot-${250 - index}`,
  }))
  gateway.respond(listClients, (request) => {
    const before = Number(new URL(request.url()).searchParams.get('before') ?? 1_000)
    return {
      body: all.filter(({ id }) => id < before).slice(0, 100),
      headers: { 'x-total-count': '250' },
    }
  })
  await page.goto('/client-credentials')
  await page.getByRole('searchbox').fill('bot-7')
  await expect(page.getByText('bot-77', { exact: true })).toBeVisible()
  await expect(page.getByText('Showing 11 of 250')).toBeVisible()
})
