import { docPages } from 'schema'
import { expect, goWithin, test } from './support/test.ts'

test.beforeEach(({ signedIn }) => void signedIn)

test('documentation pages say where one is and what is there', async ({ page, sidebar }) => {
  await test.step('after a direct load the folded groups show where one is', async () => {
    await page.goto('/bitget/trading/futures')
    const bar = await sidebar()
    const group = (name: string) => bar.getByRole('button', { name, exact: true })
    await expect(group('Bitget')).toHaveAttribute('aria-current', 'true')
    await expect(group('MEXC')).not.toHaveAttribute('aria-current')
    await group('Bitget').click()
    await expect(group('Bitget')).not.toHaveAttribute('aria-current')
    await expect(group('Trading APIs')).toHaveAttribute('aria-current', 'true')
    await group('Trading APIs').click()
    await expect(bar.getByRole('link', { name: /^Futures Orders/ })).toHaveAttribute(
      'aria-current',
      'page',
    )
    await expect(bar.locator('[aria-current]')).toHaveCount(1)
  })
  await test.step('a page of several endpoints begins with links to them', async () => {
    const several = docPages.filter(({ endpoints }) => endpoints.length > 1)
    const longest = several.toSorted((a, b) => b.endpoints.length - a.endpoints.length)[0]
    if (longest === undefined) throw new Error('No page has several endpoints')
    await goWithin(page, longest.path)
    const links = page.getByRole('navigation', { name: 'On this page' }).getByRole('link')
    await expect(links).toHaveText(longest.endpoints.map(({ summary }) => summary))
    const last = longest.endpoints.at(-1)
    await links.last().click()
    await expect(page).toHaveURL(new RegExp(`#${last?.id}$`))
    await expect(page.getByRole('region', { name: last?.summary ?? '' })).toBeInViewport()
  })
  await test.step("every field of MEXC's raw order says what it is", async () => {
    await goWithin(page, '/mexc/trading/place-order')
    const fields = page.locator('[id^="mxRawOrder."]')
    await expect(fields).toHaveCount(7)
    for (const field of await fields.all())
      await expect(field.getByRole('cell').last()).not.toHaveText('')
  })
})
