import { Title } from '@mantine/core'
import type { SecretList } from 'schema'
import { Details } from '../../components/details.tsx'
import { formatDateTime } from '../../components/format-time.ts'
import * as secretTexts from './secret-texts.ts'

interface SecretDetailsProps {
  readonly title: string
  readonly secret: SecretList['current']
  /** Absent: it does not expire. */
  readonly expiresAt?: string
}

/** What is known of a secret; the secret itself is not. */
export function SecretDetails({ title, secret, expiresAt }: SecretDetailsProps) {
  const { lastUsedAt, lastUsedFrom } = secret
  const time = lastUsedAt === null ? secretTexts.never : formatDateTime(lastUsedAt)
  return (
    <div>
      <Title order={3} fz="sm" mb={6}>
        {title}
      </Title>
      <Details
        rows={[
          [secretTexts.preview, secret.preview],
          [
            secretTexts.lastUsed,
            lastUsedFrom === null ? time : secretTexts.from(time, lastUsedFrom),
          ],
          ...(expiresAt === undefined
            ? []
            : [[secretTexts.until, formatDateTime(expiresAt)] as const]),
        ]}
      />
    </div>
  )
}
