import { Group, Stack, Text } from '@mantine/core'
import type { AuditEntry as Entry } from 'schema'
import { CodeBlock } from '../../components/code-block.tsx'
import { Details } from '../../components/details.tsx'
import { formatDateTime } from '../../components/format-time.ts'
import { Tag } from '../../components/tag.tsx'
import * as texts from './texts.ts'
import { kindNames } from './texts.ts'

/** An entry: one line, and all of it when it is opened. */
export function AuditEntry({ entry }: { readonly entry: Entry }) {
  const { at, actor, actorKind, address, action, subject, before, after } = entry
  return (
    <details>
      <summary style={{ cursor: 'pointer', overflowWrap: 'anywhere', padding: '8px 0' }}>
        <Group
          component="span"
          display="inline-flex"
          gap="xs"
          maw="90%"
          style={{ verticalAlign: 'top' }}
        >
          <Tag colour={isFailure(action) ? 'red' : 'gray'}>{action}</Tag>
          <Text component="span" fz="sm" fw={600}>
            {subject}
          </Text>
          <Text component="span" fz="xs" c="dimmed">
            {`${formatDateTime(at)} · ${actor}`}
            {address === null ? '' : ` ${texts.fromAddress(address)}`}
          </Text>
        </Group>
      </summary>
      <Stack gap="xs" my="xs">
        {before !== null && <Facts title={texts.before} facts={before} />}
        {after !== null && <Facts title={texts.after} facts={after} />}
      </Stack>
      <Details
        rows={[
          [texts.rows.kind, kindNames[actorKind]],
          [texts.rows.session, entry.session ?? texts.nothing],
          [texts.rows.requestId, entry.requestId ?? texts.nothing],
          [texts.rows.hash, `${entry.id}:${entry.hash}`],
        ]}
      />
    </details>
  )
}

function Facts({ title, facts }: { readonly title: string; readonly facts: object }) {
  return (
    <CodeBlock title={title} code={JSON.stringify(facts, null, 2)} language="json" label={title} />
  )
}

const isFailure = (action: string) => /\.(failed|refused)/.test(action)
