import { Badge, Group, VisuallyHidden } from '@mantine/core'
import type { ApiKey } from 'schema'

/** Which parts of the keys are stored; a passphrase only exists at Bitget. */
export function CredentialFlags({ apiKey }: { readonly apiKey: ApiKey }) {
  const { hasApiKey, hasApiSecret, hasPassphrase, exchange } = apiKey
  return (
    <Group gap={4} wrap="nowrap">
      <Flag label="Key" isStored={hasApiKey} />
      <Flag label="Secret" isStored={hasApiSecret} />
      {exchange === 'bg' && <Flag label="Pass" isStored={hasPassphrase} />}
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
      <VisuallyHidden> {isStored ? 'stored' : 'missing'}</VisuallyHidden>
    </Badge>
  )
}
