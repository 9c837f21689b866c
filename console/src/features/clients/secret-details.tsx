import { Title } from '@mantine/core'
import type { SecretList } from 'schema'
import { Details } from '../../components/details.tsx'
import { formatDateTime } from '../../components/format-time.ts'
import { secretTexts } from './secret-texts.ts'

interface SecretDetailsProps {
  readonly title: string
  readonly secret: SecretList['current']
  /** Absent: it does not expire. */
  readonly expiresAt?: string
}

/** What is known of a secret; the secret itself is not. */
export function SecretDetails({ title, secret, expiresAt }: SecretDetailsProps) {
  const { preview, lastUsed, from, never, until } = secretTexts
  const { lastUsedAt, lastUsedFrom } = secret
  const time = lastUsedAt === null ? never : formatDateTime(lastUsedAt)
  return (
    <div>
      <Title order={3} fz="sm" mb={6}>
        {title}
      </Title>
      <Details
        rows={[
          [preview, secret.preview],
          [lastUsed, lastUsedFrom === null ? time : from(time, lastUsedFrom)],
          ...(expiresAt === undefined ? [] : [[until, formatDateTime(expiresAt)] as const]),
        ]}
      />
    </div>
  )
}
