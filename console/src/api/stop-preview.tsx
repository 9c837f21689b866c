import { Text } from '@mantine/core'
import type {
  previewClientStop,
  previewExchangeStop,
  previewStopOfEverything,
  StopPreview,
} from 'schema'
import { formatDuration } from '../components/format.ts'
import type { CallInput } from './client.ts'
import { preview as words } from './stop-texts.ts'
import { useLiveQuery } from './use-live-query.ts'

const EVERY_MS = 2000

/** Where a gateway says what a stop would do. */
export interface PreviewOf {
  readonly endpoint:
    | typeof previewClientStop
    | typeof previewExchangeStop
    | typeof previewStopOfEverything
  readonly input: CallInput
}

interface StopPreviewLineProps extends PreviewOf {
  /** Whether the working orders are cancelled too. */
  readonly cancels: boolean
}

/** What a stop would do now. The stop can be sent without it. */
export function StopPreviewLine({ endpoint, input, cancels }: StopPreviewLineProps) {
  const { data, error } = useLiveQuery(endpoint, EVERY_MS, false, input)
  const isFailed = data === undefined && error !== undefined
  return (
    <Text fz="sm" role="status" mih="1.55em">
      {data !== undefined && wordsOf(data, cancels)}
      {isFailed && words.failed}
    </Text>
  )
}

function wordsOf({ waiting, workingOrders, estimateSeconds }: StopPreview, cancels: boolean) {
  const drops = words.drops(waiting)
  if (!cancels) return drops
  if (workingOrders === 0) return `${drops} ${words.noOrders}`
  const what = words.cancels(workingOrders)
  const when =
    estimateSeconds === null
      ? words.unreachable(what)
      : words.within(what, formatDuration(estimateSeconds * 1000))
  return `${drops} ${when}`
}
