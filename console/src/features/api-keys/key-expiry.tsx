import { Text } from '@mantine/core'
import { formatDateTime } from '../../components/format-time.ts'
import { expiryOf } from './expiry.ts'

/** When the exchange lets the keys expire; nothing when it does not, or does not tell. */
export function KeyExpiry({ expiresAt }: { readonly expiresAt: string | null }) {
  const expiry = expiryOf(expiresAt, Date.now())
  if (expiresAt === null || expiry === undefined) return null
  return (
    <Text
      fz="xs"
      mt={2}
      c={expiry.isSoon ? 'var(--mantine-color-error)' : 'dimmed'}
      title={formatDateTime(expiresAt)}
    >
      {expiry.text}
    </Text>
  )
}
