import { Stack, Text } from '@mantine/core'
import { useState } from 'react'
import {
  type Approval,
  approve,
  getOperations,
  listApprovals,
  rejectApproval,
  withdrawApproval,
} from 'schema'
import { QueryView } from '../../api/query-view.tsx'
import { reportFailure } from '../../api/report-failure.tsx'
import { useRefusal } from '../../api/role.ts'
import { useSession } from '../../api/session.ts'
import { useAction } from '../../api/use-action.ts'
import { useLiveQuery } from '../../api/use-live-query.ts'
import { Card } from '../../components/card.tsx'
import { ConfirmDialog } from '../../components/confirm-dialog.tsx'
import { CopyField } from '../../components/copy-field.tsx'
import { EmptyNote } from '../../components/empty-note.tsx'
import { HeaderButton } from '../../components/header-button.tsx'
import { OnceDialog } from '../../components/once-dialog.tsx'
import { PageHeader } from '../../components/page-header.tsx'
import { toast } from '../../components/toast.tsx'
import { useAddressParam } from '../../components/use-address-param.ts'
import { ApprovalRow, type Decision, wordsOf } from './approval-row.tsx'
import { RejectDialog } from './reject-dialog.tsx'
import * as texts from './texts.ts'

/** How often the page reads: another admin may decide at any time. */
const EVERY_MS = 5000
/** What a decision changes; the count in the sidebar comes from the operations. */
const CHANGED = { readAgain: [listApprovals, getOperations] }

/** What waits for a second admin. */
export default function ApprovalsPage() {
  const refusal = useRefusal(listApprovals)
  if (refusal === undefined) return <Approvals />
  return (
    <>
      <PageHeader title={texts.title} description={refusal} />
      <EmptyNote icon="shield" title={texts.notAdmin} hint={texts.notAdminHint} />
    </>
  )
}

type Asked =
  | { readonly what: 'approve' | 'reject'; readonly approval: Approval }
  | { readonly what: 'shown'; readonly subject: string; readonly password: string }
  | null

function Approvals() {
  const query = useLiveQuery(listApprovals, EVERY_MS)
  const ownEmail = useSession(({ session }) => session?.user.email)
  const [view, setView] = useAddressParam('show')
  const isAll = view === 'all'
  const [asked, setAsked] = useState<Asked>(null)
  const withdrawing = useAction(withdrawApproval, CHANGED)
  const decide = async (what: Decision, approval: Approval) => {
    if (what !== 'withdraw') return setAsked({ what, approval })
    try {
      await withdrawing.trigger({ params: { id: approval.id } })
      toast({ title: texts.withdrawn, message: texts.rejectedText })
    } catch (error) {
      reportFailure(error)
    }
  }
  return (
    <>
      <PageHeader
        title={texts.title}
        description={texts.description}
        actions={
          <HeaderButton icon="list" onClick={() => setView(isAll ? '' : 'all')}>
            {isAll ? texts.showWaiting : texts.showAll}
          </HeaderButton>
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
                    isPending={withdrawing.isPending}
                    onDecide={(what) => void decide(what, approval)}
                  />
                ))}
              </Stack>
            </Card>
          )
        }}
      </QueryView>
      {asked !== null && <DecisionDialog asked={asked} setAsked={setAsked} />}
    </>
  )
}

interface DecisionDialogProps {
  readonly asked: NonNullable<Asked>
  readonly setAsked: (asked: Asked) => void
}

/** Asks before it is decided, and shows a password that came of it. */
function DecisionDialog({ asked, setAsked }: DecisionDialogProps) {
  const approving = useAction(approve, CHANGED)
  const rejecting = useAction(rejectApproval, CHANGED)
  const close = () => setAsked(null)
  if (asked.what === 'shown')
    return (
      <OnceDialog
        title={texts.passwordTitle(asked.subject)}
        text={texts.passwordText}
        storedLabel={texts.passwordStored}
        doneLabel={texts.done}
        onDone={close}
      >
        <CopyField label={texts.password} value={asked.password} />
      </OnceDialog>
    )
  const { approval } = asked
  const { action, subject } = wordsOf(approval)
  const params = { id: approval.id }
  const run = async (act: () => Promise<Asked>) => {
    try {
      setAsked(await act())
    } catch (error) {
      reportFailure(error)
      close()
    }
  }
  if (asked.what === 'reject')
    return (
      <RejectDialog
        approval={approval}
        isPending={rejecting.isPending}
        onClose={close}
        onReject={(reason) =>
          void run(async () => {
            await rejecting.trigger({ params, body: reason === '' ? {} : { reason } })
            toast({ title: texts.rejected, message: texts.rejectedText })
            return null
          })
        }
      />
    )
  return (
    <ConfirmDialog
      title={texts.approveQuestion(action, subject)}
      confirmLabel={texts.decisions.approve}
      isPending={approving.isPending}
      isHarmless
      onCancel={close}
      onConfirm={() =>
        void run(async () => {
          const { result } = await approving.trigger({ params })
          toast({ title: texts.approved, message: texts.approvedText(action, subject) })
          const password = passwordIn(result)
          return password === null ? null : { what: 'shown', subject, password }
        })
      }
    >
      <Text fz="sm">{texts.approveText(approval.requestedBy)}</Text>
    </ConfirmDialog>
  )
}

/** The password that was generated; null when there is none. */
function passwordIn(result: unknown): string | null {
  const { password } = (result ?? {}) as { readonly password?: unknown }
  return typeof password === 'string' ? password : null
}
