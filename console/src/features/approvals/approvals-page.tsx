import { Box, Button, Group, SimpleGrid, Stack, Text } from '@mantine/core'
import {
  type Approval,
  type ApprovalState,
  approve,
  EXCHANGE_NAMES,
  EXCHANGES,
  getOperations,
  listApprovals,
  rejectApproval,
  withdrawApproval,
} from 'schema'
import { attempt } from '../../api/failures.tsx'
import { QueryView, useLiveQuery } from '../../api/queries.tsx'
import { ActionButton, RolePage } from '../../api/role.tsx'
import { useSession } from '../../api/session.ts'
import { approvalActions } from '../../api/texts.ts'
import { useResource } from '../../api/use-action.ts'
import { CodeBlock } from '../../components/code-block.tsx'
import { confirm } from '../../components/confirm.tsx'
import { FormDialog, showDialog, showPassword } from '../../components/dialogs.tsx'
import { formatDateTime } from '../../components/format.ts'
import { Card, EmptyNote, PageHeader, Quiet } from '../../components/page.tsx'
import { Tag, type TagColour } from '../../components/signs.tsx'
import { toast } from '../../components/toast.tsx'
import { useActions } from '../../components/use-actions.ts'
import { useAddressParam } from '../../components/use-address-param.ts'
import * as texts from './texts.ts'

/** How often the page reads: another admin may decide at any time. */
const EVERY_MS = 5000

/** What waits for a second admin. */
export default function ApprovalsPage() {
  return (
    <RolePage endpoint={listApprovals} title={texts.title}>
      <Approvals />
    </RolePage>
  )
}

function Approvals() {
  const query = useLiveQuery(listApprovals, EVERY_MS)
  const ownEmail = useSession(({ session }) => session?.user.email)
  const [view, setView] = useAddressParam('show')
  const isAll = view === 'all'
  const { decide, isPending } = useDecisions()
  useActions(() =>
    (query.data ?? []).flatMap((approval) =>
      decisionsOf(approval, ownEmail).map((what) => ({
        label: texts.nameOf(texts.decisions[what], wordsOf(approval)),
        does: texts.does[what],
        run: () => void decide(what, approval),
        when: !isPending,
      })),
    ),
  )
  return (
    <>
      <PageHeader
        title={texts.title}
        description={texts.description}
        actions={
          <ActionButton
            icon="list"
            run={() => setView(isAll ? '' : 'all')}
            does={isAll ? texts.does.showWaiting : texts.does.showAll}
            label={isAll ? texts.showWaiting : texts.showAll}
          />
        }
      />
      <QueryView query={query} what={texts.what}>
        {(every) => {
          const shown = isAll ? every : every.filter(({ state }) => state === 'waiting')
          return (
            <Card title={isAll ? texts.all(shown.length) : texts.waiting(shown.length)}>
              {shown.length === 0 && (
                <EmptyNote
                  icon="shield"
                  title={isAll ? texts.none : texts.nothingWaits}
                  hint={texts.nothingWaitsHint}
                />
              )}
              <Stack component="ul" gap="xl" m={0} p={0} style={{ listStyle: 'none' }}>
                {shown.map((approval) => (
                  <ApprovalRow
                    key={approval.id}
                    approval={approval}
                    ownEmail={ownEmail}
                    isPending={isPending}
                    onDecide={(what) => void decide(what, approval)}
                  />
                ))}
              </Stack>
            </Card>
          )
        }}
      </QueryView>
    </>
  )
}

/** Why something is rejected; it may be empty. */
const REASON_FIELD = { label: texts.reason, description: texts.reasonHint, maxLength: 200 }

/** What an admin can do with what waits. */
function useDecisions() {
  // The count in the sidebar comes from the operations.
  const approvals = useResource(listApprovals, {
    approve: { endpoint: approve, readAgain: [getOperations] },
    reject: { endpoint: rejectApproval, readAgain: [getOperations] },
    withdraw: { endpoint: withdrawApproval, readAgain: [getOperations] },
  })
  const ask = (approval: Approval) => {
    const words = wordsOf(approval)
    return confirm({
      title: texts.approveQuestion(words),
      text: texts.approveText(approval.requestedBy),
      label: texts.decisions.approve,
      isHarmless: true,
      act: async () => {
        const { result } = await approvals.approve({ params: { id: approval.id } })
        toast({ title: texts.approved, message: texts.approvedText(words) })
        const password = passwordIn(result)
        if (password !== null) showPassword(words.subject, password)
      },
    })
  }
  const withdraw = async ({ id }: Approval) => {
    await approvals.withdraw({ params: { id } })
    toast({ title: texts.withdrawn, message: texts.rejectedText })
  }
  const reject = async ({ id }: Approval, reason: string) => {
    await approvals.reject({ params: { id }, body: reason === '' ? {} : { reason } })
    toast({ title: texts.rejected, message: texts.rejectedText })
  }
  const askReason = (approval: Approval) =>
    showDialog((close) => (
      <FormDialog
        title={texts.rejectTitle(wordsOf(approval))}
        label={texts.decisions.reject}
        pendingLabel={texts.decisions.reject}
        field={REASON_FIELD}
        onSubmit={(reason) => attempt(() => reject(approval, reason.trim())).then(close)}
        onClose={close}
      />
    ))
  const decide = async (what: Decision, approval: Approval) => {
    if (what === 'approve') await ask(approval)
    else if (what === 'withdraw') await attempt(() => withdraw(approval))
    else askReason(approval)
  }
  return { decide, isPending: approvals.isPending }
}

/** The password that was generated; null when there is none. */
function passwordIn(result: unknown): string | null {
  const { password } = (result ?? {}) as { readonly password?: unknown }
  return typeof password === 'string' ? password : null
}

/** What a person can do with what waits. */
type Decision = 'approve' | 'reject' | 'withdraw'

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
function ApprovalRow({ approval, ownEmail, isPending, onDecide }: ApprovalRowProps) {
  const { state, summary, reason } = approval
  const words = wordsOf(approval)
  return (
    <Box component="li" aria-label={texts.nameOf(texts.stateNames[state], words)}>
      <Group justify="space-between" gap="xs" mb="xs">
        <Box miw={0} flex="1 1 260px" style={{ overflowWrap: 'anywhere' }}>
          <Group gap="xs" fz="sm" fw={600}>
            {`${words.action}: ${words.subject}`}
            <Tag colour={COLOURS[state]}>{texts.stateNames[state]}</Tag>
          </Group>
          <Quiet>{progressOf(approval, ownEmail)}</Quiet>
          {reason !== null && <Text fz="sm">{reason}</Text>}
        </Box>
        <Group gap="xs">
          {decisionsOf(approval, ownEmail).map((decision) => (
            <Button
              key={decision}
              size="xs"
              {...(decision === 'approve' ? {} : { variant: 'default' })}
              disabled={isPending}
              aria-label={texts.nameOf(texts.decisions[decision], words)}
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
function decisionsOf(
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
function wordsOf({ action, subject, subjectKind }: Approval) {
  const exchange = EXCHANGES.find((code) => subjectKind === 'exchange' && code === subject)
  const isAll = subjectKind === 'exchange' && subject === 'everything'
  return {
    action: approvalActions[action] ?? action,
    subject: isAll ? texts.everything : exchange === undefined ? subject : EXCHANGE_NAMES[exchange],
  }
}
