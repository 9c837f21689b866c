import { Box, Button, Group, SimpleGrid, Text } from '@mantine/core'
import { type Approval, type ApprovalState, EXCHANGE_NAMES, EXCHANGES } from 'schema'
import { approvalActions } from '../../api/role-texts.ts'
import { CodeBlock } from '../../components/code-block.tsx'
import { formatDateTime } from '../../components/format.ts'
import { Tag, type TagColour } from '../../components/signs.tsx'
import * as texts from './texts.ts'

/** What a person can do with what waits. */
export type Decision = 'approve' | 'reject' | 'withdraw'

interface ApprovalRowProps {
  readonly approval: Approval
  /** Of the person who looks at it. */
  readonly ownEmail: string | undefined
  readonly isPending: boolean
  readonly onDecide: (decision: Decision) => void
}

const COLOURS: Readonly<Record<ApprovalState, TagColour>> = {
  waiting: 'yellow',
  approved: 'green',
  rejected: 'red',
  withdrawn: 'gray',
  expired: 'gray',
  failed: 'red',
}

/** What was asked for, what it changes, and what became of it. */
export function ApprovalRow({ approval, ownEmail, isPending, onDecide }: ApprovalRowProps) {
  const { state, summary, reason } = approval
  const { action, subject } = wordsOf(approval)
  const decisions = decisionsOf(approval, ownEmail)
  return (
    <Box component="li" aria-label={texts.nameOf(texts.stateNames[state], action, subject)}>
      <Group justify="space-between" gap="xs" mb="xs">
        <Box miw={0} flex="1 1 260px" style={{ overflowWrap: 'anywhere' }}>
          <Group gap="xs" fz="sm" fw={600}>
            {`${action}: ${subject}`}
            <Tag colour={COLOURS[state]}>{texts.stateNames[state]}</Tag>
          </Group>
          <Text fz="sm" c="dimmed">
            {progressOf(approval, ownEmail)}
          </Text>
          {reason !== null && <Text fz="sm">{reason}</Text>}
        </Box>
        <Group gap="xs">
          {decisions.map((decision) => (
            <Button
              key={decision}
              size="xs"
              {...(decision === 'approve' ? {} : { variant: 'default' })}
              disabled={isPending}
              aria-label={texts.nameOf(texts.decisions[decision], action, subject)}
              onClick={() => onDecide(decision)}
            >
              {texts.decisions[decision]}
            </Button>
          ))}
        </Group>
      </Group>
      <SimpleGrid cols={{ base: 1, sm: 2 }} spacing="xs">
        <Facts title={texts.before} facts={summary.before} />
        <Facts title={texts.after} facts={summary.after} />
      </SimpleGrid>
    </Box>
  )
}

/** Nobody approves what they asked for themselves. */
export function decisionsOf(
  { state, requestedBy }: Approval,
  ownEmail: string | undefined,
): readonly Decision[] {
  if (state !== 'waiting') return []
  return requestedBy === ownEmail ? ['withdraw'] : ['approve', 'reject']
}

function Facts({ title, facts }: { readonly title: string; readonly facts: object | null }) {
  const code = facts === null ? texts.nothing : JSON.stringify(facts, null, 2)
  const language = facts === null ? 'plain' : 'json'
  return <CodeBlock title={title} code={code} language={language} label={title} />
}

function progressOf(approval: Approval, ownEmail: string | undefined): string {
  const nameOf = (email: string) => (email === ownEmail ? texts.you : email)
  const { state, requestedBy, requestedAt, expiresAt, decidedBy, decidedAt } = approval
  const asked = texts.asked(nameOf(requestedBy), formatDateTime(requestedAt))
  if (state === 'waiting') return `${asked} · ${texts.until(formatDateTime(expiresAt))}`
  const time = formatDateTime(decidedAt ?? expiresAt)
  return `${asked} · ${decidedBy === null ? texts.ended(time) : texts.decided(nameOf(decidedBy), time)}`
}

/** What was asked for, as people say it. */
export function wordsOf({ action, subject, subjectKind }: Approval) {
  const exchange = EXCHANGES.find((code) => subjectKind === 'exchange' && code === subject)
  const isAll = subjectKind === 'exchange' && subject === 'everything'
  return {
    action: approvalActions[action] ?? action,
    subject: isAll ? texts.everything : exchange === undefined ? subject : EXCHANGE_NAMES[exchange],
  }
}
