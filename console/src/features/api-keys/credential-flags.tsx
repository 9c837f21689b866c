import { Badge, Group, VisuallyHidden } from '@mantine/core'
import type { ApiKey } from 'schema'
import * as texts from './texts.ts'

const flags = texts.flags

/** Which parts of the keys are stored; a passphrase only exists at Bitget. */
export function CredentialFlags({ apiKey }: { readonly apiKey: ApiKey }) {
  const { hasApiKey, hasApiSecret, hasPassphrase, exchange } = apiKey
  return (
    <Group gap={4} wrap="nowrap">
      <Flag label={flags.key} isStored={hasApiKey} />
      <Flag label={flags.secret} isStored={hasApiSecret} />
      {exchange === 'bg' && <Flag label={flags.passphrase} isStored={hasPassphrase} />}
    </Group>
  )
}

function Flag({ label, isStored }: { readonly label: string; readonly isStored: boolean }) {
  return (
    <Badge
      variant={isStored ? 'light' : 'outline'}
      color={isStored ? 'green' : 'gray'}
      size="sm"
      miw="max-content"
      leftSection={<span aria-hidden="true">{isStored ? '✓' : '–'}</span>}
      data-stored={isStored}
    >
      {label}
      <VisuallyHidden> {isStored ? flags.stored : flags.missing}</VisuallyHidden>
    </Badge>
  )
}
