import { Stack, TextInput } from '@mantine/core'
import { useState } from 'react'
import {
  type Approval,
  approve,
  getOperations,
  listApprovals,
  rejectApproval,
  withdrawApproval,
} from 'schema'
import { reportFailure } from '../../api/failures.tsx'
import { QueryView, useLiveQuery } from '../../api/queries.tsx'
import { useRefusal } from '../../api/role.tsx'
import { useSession } from '../../api/session.ts'
import { useAction } from '../../api/use-action.ts'
import { confirm } from '../../components/confirm.tsx'
import { FormDialog, PasswordOnce } from '../../components/dialogs.tsx'
import { Card, EmptyNote, HeaderButton, PageHeader } from '../../components/page.tsx'
import { toast } from '../../components/toast.tsx'
import { useActions } from '../../components/use-actions.ts'
import { useAddressParam } from '../../components/use-address-param.ts'
import { ApprovalRow, type Decision, decisionsOf, wordsOf } from './approval-row.tsx'
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

/** What is open: the question why something is rejected, or a password that is readable once. */
type Open =
  | { readonly rejected: Approval }
  | { readonly email: string; readonly password: string }
  | null

function Approvals() {
  const query = useLiveQuery(listApprovals, EVERY_MS)
  const ownEmail = useSession(({ session }) => session?.user.email)
  const [view, setView] = useAddressParam('show')
  const isAll = view === 'all'
  const [open, setOpen] = useState<Open>(null)
  const { decide, reject, isPending } = useDecisions(setOpen)
  useActions(() =>
    (query.data ?? []).flatMap((approval) => {
      const { action, subject } = wordsOf(approval)
      return decisionsOf(approval, ownEmail).map((what) => ({
        label: texts.nameOf(texts.decisions[what], action, subject),
        does: texts.does[what],
        run: () => void decide(what, approval),
        when: !isPending,
      }))
    }),
  )
  return (
    <>
      <PageHeader
        title={texts.title}
        description={texts.description}
        actions={
          <HeaderButton
            icon="list"
            onClick={() => setView(isAll ? '' : 'all')}
            does={isAll ? texts.does.showWaiting : texts.does.showAll}
          >
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
                    isPending={isPending}
                    onDecide={(what) => void decide(what, approval)}
                  />
                ))}
              </Stack>
            </Card>
          )
        }}
      </QueryView>
      {open !== null && 'rejected' in open && (
        <RejectDialog
          approval={open.rejected}
          isPending={isPending}
          onClose={() => setOpen(null)}
          onReject={(reason) => void reject(open.rejected, reason)}
        />
      )}
      {open !== null && 'password' in open && (
        <PasswordOnce {...open} onDone={() => setOpen(null)} />
      )}
    </>
  )
}

/** What an admin can do with what waits. */
function useDecisions(setOpen: (open: Open) => void) {
  const approving = useAction(approve, CHANGED)
  const rejecting = useAction(rejectApproval, CHANGED)
  const withdrawing = useAction(withdrawApproval, CHANGED)

  const ask = (approval: Approval) => {
    const { action, subject } = wordsOf(approval)
    return confirm({
      title: texts.approveQuestion(action, subject),
      text: texts.approveText(approval.requestedBy),
      label: texts.decisions.approve,
      isHarmless: true,
      act: async () => {
        const { result } = await approving.trigger({ params: { id: approval.id } })
        toast({ title: texts.approved, message: texts.approvedText(action, subject) })
        const password = passwordIn(result)
        if (password !== null) setOpen({ email: subject, password })
      },
    })
  }
  const withdraw = async ({ id }: Approval) => {
    try {
      await withdrawing.trigger({ params: { id } })
      toast({ title: texts.withdrawn, message: texts.rejectedText })
    } catch (error) {
      reportFailure(error)
    }
  }
  return {
    isPending: withdrawing.isPending || rejecting.isPending,
    decide: async (what: Decision, approval: Approval) => {
      if (what === 'approve') await ask(approval)
      else if (what === 'withdraw') await withdraw(approval)
      else setOpen({ rejected: approval })
    },
    reject: async ({ id }: Approval, reason: string) => {
      try {
        const body = reason === '' ? {} : { reason }
        await rejecting.trigger({ params: { id }, body })
        toast({ title: texts.rejected, message: texts.rejectedText })
      } catch (error) {
        reportFailure(error)
      }
      setOpen(null)
    },
  }
}

interface RejectDialogProps {
  readonly approval: Approval
  readonly isPending: boolean
  readonly onReject: (reason: string) => void
  readonly onClose: () => void
}

/** Asks why something is rejected; the reason may be empty. */
function RejectDialog({ approval, isPending, onReject, onClose }: RejectDialogProps) {
  const [reason, setReason] = useState('')
  const { action, subject } = wordsOf(approval)
  return (
    <FormDialog
      title={texts.rejectTitle(action, subject)}
      label={texts.decisions.reject}
      pendingLabel={texts.decisions.reject}
      cancelLabel={texts.cancel}
      isPending={isPending}
      onSubmit={() => onReject(reason.trim())}
      onClose={onClose}
    >
      <TextInput
        label={texts.reason}
        description={texts.reasonHint}
        maxLength={200}
        data-autofocus
        value={reason}
        onChange={({ currentTarget }) => setReason(currentTarget.value)}
      />
    </FormDialog>
  )
}

/** The password that was generated; null when there is none. */
function passwordIn(result: unknown): string | null {
  const { password } = (result ?? {}) as { readonly password?: unknown }
  return typeof password === 'string' ? password : null
}
