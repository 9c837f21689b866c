import { expiryOf } from '../../components/expiry.ts'
import { ExplainedText } from '../../components/explained-text.tsx'
import { formatDateTime } from '../../components/format-time.ts'
import * as texts from './texts.ts'

/** When the keys expire; nothing when they do not, or when that is unknown. */
export function KeyExpiry({ expiresAt }: { readonly expiresAt: string | null }) {
  const expiry = expiryOf(expiresAt, Date.now())
  if (expiresAt === null || expiry === undefined) return null
  const explanation = texts.table.expiresAt(formatDateTime(expiresAt))
  return <ExplainedText text={expiry.text} explanation={explanation} isAlarming={expiry.isSoon} />
}
