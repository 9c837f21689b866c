import type { ApprovalState } from 'schema'

/** The words of the page. */
export const title = 'Approvals'
export const description = 'Changes that need a second admin'
export const what = 'the approvals'
export const showAll = 'Show all'
export const showWaiting = 'Show what waits'
export const waiting = (count: number) => `Waiting (${count})`
export const all = (count: number) => `All (${count})`
export const nothingWaits = 'Nothing waits for an approval'
export const nothingWaitsHint =
  'Where a second admin is required, exchange keys, looser limits, resuming and new admins wait here.'
export const none = 'Nothing was asked for yet'

export const stateNames: Readonly<Record<ApprovalState, string>> = {
  waiting: 'Waiting',
  approved: 'Approved',
  rejected: 'Rejected',
  withdrawn: 'Withdrawn',
  expired: 'Expired',
  failed: 'Failed',
}
export const everything = 'all exchanges'
export const you = 'you'
export const asked = (who: string, time: string) => `asked for by ${who}, ${time}`
export const until = (time: string) => `waits until ${time}`
export const decided = (who: string, time: string) => `decided by ${who}, ${time}`
export const ended = (time: string) => `ended ${time}`
export const before = 'Before'
export const after = 'Asked for'
export const nothing = 'Nothing yet'

export const decisions = { approve: 'Approve', reject: 'Reject', withdraw: 'Withdraw' } as const
/** What an action will do, in the palette. */
export const does = {
  approve: 'Asks first, then does it',
  reject: 'Asks for a reason; nothing is changed',
  withdraw: 'At once; nothing is changed',
  showAll: 'Also what was decided',
  showWaiting: 'Leaves out what was decided',
} as const
interface Words {
  readonly action: string
  readonly subject: string
}
const both = ({ action, subject }: Words) => `${action}, ${subject}`
export const nameOf = (button: string, words: Words) => `${button}: ${both(words)}`
export const approveQuestion = (words: Words) => `${both(words)}?`
export const approveText = (who: string) =>
  `It is carried out at once. ${who} asked for it: approve it when you know why.`
export const approved = 'Approved'
export const approvedText = (words: Words) => `Done: ${both(words)}.`
export const rejectTitle = (words: Words) => `Reject: ${both(words)}`
export const reason = 'Reason'
export const reasonHint = 'For the one who asked'
export const rejected = 'Rejected'
export const rejectedText = 'Nothing was changed.'
export const withdrawn = 'Withdrawn'
