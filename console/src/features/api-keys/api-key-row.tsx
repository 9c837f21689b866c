import { ActionIcon, Badge, Group, Table, Text } from '@mantine/core'
import { type ApiKey, EXCHANGE_NAMES } from 'schema'
import { formatDateTime } from '../../components/format-time.ts'
import { Icon } from '../../components/icons.tsx'
import { ShortText } from '../../components/short-text.tsx'
import { CredentialFlags } from './credential-flags.tsx'
import { TestStatus } from './test-status.tsx'
import { texts } from './texts.ts'

interface ApiKeyRowProps {
  readonly apiKey: ApiKey
  readonly onTest: (key: ApiKey) => void
  readonly onDelete: (key: ApiKey) => void
}

export function ApiKeyRow({ apiKey, onTest, onDelete }: ApiKeyRowProps) {
  const { clientId, exchange, note, createdAt } = apiKey
  const name = `${EXCHANGE_NAMES[exchange]} API keys of ${clientId}`
  return (
    <Table.Tr>
      <Table.Td fw={600} style={{ whiteSpace: 'nowrap' }}>
        <ShortText text={clientId} />
      </Table.Td>
      <Table.Td miw={126} maw={220} style={{ overflowWrap: 'anywhere' }}>
        {note || (
          <Text component="span" fz="sm" c="dimmed">
            {texts.table.noNote}
          </Text>
        )}
      </Table.Td>
      <Table.Td>
        <Badge variant="outline" color={exchange === 'mx' ? 'blue' : 'teal'}>
          {EXCHANGE_NAMES[exchange]}
        </Badge>
      </Table.Td>
      <Table.Td>
        <TestStatus apiKey={apiKey} />
      </Table.Td>
      <Table.Td>
        <CredentialFlags apiKey={apiKey} />
      </Table.Td>
      <Table.Td style={{ whiteSpace: 'nowrap' }}>{formatDateTime(createdAt)}</Table.Td>
      <Table.Td>
        <Group gap={4} wrap="nowrap">
          <ActionIcon
            variant="subtle"
            size="lg"
            aria-label={`Test ${name}`}
            title={`Test ${name}`}
            onClick={() => onTest(apiKey)}
          >
            <Icon name="flask" />
          </ActionIcon>
          <ActionIcon
            variant="subtle"
            color="red"
            size="lg"
            aria-label={`Delete ${name}`}
            title={`Delete ${name}`}
            onClick={() => onDelete(apiKey)}
          >
            <Icon name="trash" />
          </ActionIcon>
        </Group>
      </Table.Td>
    </Table.Tr>
  )
}
