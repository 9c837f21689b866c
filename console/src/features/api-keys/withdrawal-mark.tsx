import { Badge, Tooltip } from '@mantine/core'
import { ExplainedText } from '../../components/explained-text.tsx'
import * as texts from './texts.ts'

/** Marks a key that can withdraw, and one of which that is not known. */
export function WithdrawalMark({ canWithdraw }: { readonly canWithdraw: boolean | null }) {
  const { withdraws, withdrawalUnknown } = texts.table
  if (canWithdraw === null) return <ExplainedText {...withdrawalUnknown} />
  // A gateway older than this console sends none.
  if (!canWithdraw) return null
  return (
    <Tooltip label={withdraws.explanation} withinPortal={false} multiline maw={280}>
      <Badge
        color="red"
        variant="filled"
        mt={4}
        display="flex"
        w="max-content"
        role="note"
        tabIndex={0}
      >
        {withdraws.text}
      </Badge>
    </Tooltip>
  )
}
