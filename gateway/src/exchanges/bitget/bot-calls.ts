import type { RequestHeaders, UpstreamCall } from '../exchange.ts'
import { refusedCategory } from '../policy/unified-category.ts'
import { CategoryForbiddenError, DemoHeaderInvalidError } from '../protocol/errors.ts'

/**
 * The demo account and the language of messages (docs/exchanges/bitget.md, 1 and 2).
 * @throws DemoHeaderInvalidError
 */
export function settingsOf({ paptrading, locale }: RequestHeaders) {
  if (paptrading !== undefined && paptrading !== '1') throw new DemoHeaderInvalidError()
  return {
    ...(paptrading === '1' ? { demo: true } : {}),
    ...(typeof locale === 'string' && /^[A-Za-z]{2}(?:[-_][A-Za-z]{2,4})?$/.test(locale)
      ? { locale }
      : {}),
  }
}

/** @throws CategoryForbiddenError for an order of the unified account that could borrow */
export function checkCategory(call: UpstreamCall, hasJson: boolean): void {
  const category = refusedCategory(call, hasJson)
  if (category !== undefined) throw new CategoryForbiddenError(category.slice(0, 40))
}
