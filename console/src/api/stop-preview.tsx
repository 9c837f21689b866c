import { Text } from '@mantine/core'
import { ENDINGS, type Ending, type StopPreview } from 'schema'
import { formatDuration } from '../components/format.ts'
import classes from './stop-progress.module.css'
import { type PreviewTarget, stopCallsOf } from './stop-state.ts'
import { endings, preview as words } from './stop-texts.ts'
import { useLiveQuery } from './use-live-query.ts'

const EVERY_MS = 2000

interface EndingNoteProps {
  readonly of: PreviewTarget
  readonly way: Ending['way']
  /** Whether a stop cancels the open orders too. */
  readonly cancels?: boolean
}

/**
 * What an end of trading would do now, and what still passes then, in every way: for each question
 * that ends something.
 *
 *     <EndingNote of={{ client }} way="disabled" />
 */
export function EndingNote({ of, way, cancels = true }: EndingNoteProps) {
  const { preview, input } = stopCallsOf(of)
  const { data, error } = useLiveQuery(preview, EVERY_MS, false, input)
  const isFailed = data === undefined && error !== undefined
  return (
    <div>
      <Text fz="sm" fw={600} role="status" mih="1.55em">
        {data !== undefined && `${sentenceOf(way, data, cancels)}.`}
        {isFailed && words.failed}
      </Text>
      <details className={classes.endings}>
        <summary>{endings.title}</summary>
        <EndingsTable way={way} />
      </details>
    </div>
  )
}

/** `Drops 72 waiting requests, cancels 485 orders, about 4 min`. */
function sentenceOf(way: Ending['way'], preview: StopPreview, cancels: boolean): string {
  const { waiting, queued, workingOrders } = preview
  const kept = workingOrders === 0 ? words.noOrders : words.keeps(workingOrders)
  if (way === 'reducing') return `${words.checks(waiting)}, ${kept}`
  if (way === 'halted') return `${words.refuses(waiting)}, ${kept}`
  if (way === 'deleted' && workingOrders > 0)
    return `${words.drops(queued)}, ${words.forgets(workingOrders)}`
  if (way === 'disabled' || way === 'deleted' || way === 'dropped')
    return `${words.drops(queued)}, ${kept}`
  const drops = words.drops(waiting)
  return cancels && workingOrders > 0
    ? `${drops}, ${words.cancels(workingOrders)}, ${whenOf(preview)}`
    : `${drops}, ${kept}`
}

function whenOf({ estimateSeconds }: StopPreview): string {
  if (estimateSeconds === null) return words.unreachable
  return words.within(formatDuration(estimateSeconds * 1000))
}

const PASSES = ['opens', 'closes', 'cancels', 'reads'] as const

/** Every way to end trading; the one that is chosen is marked. */
function EndingsTable({ way }: Pick<EndingNoteProps, 'way'>) {
  const { columns } = endings
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: it scrolls, also by keyboard.
    <div className={classes.scrolls} tabIndex={0}>
      <table aria-label={endings.title}>
        <thead>
          <tr>
            {Object.entries(columns).map(([key, name]) => (
              <th key={key} scope="col">
                {name}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {ENDINGS.map((row) => (
            <tr key={row.way} aria-current={row.way === way}>
              <th scope="row">{endings.ways[row.way]}</th>
              {PASSES.map((what) => (
                <td key={what}>{row[what] ? endings.passes : endings.refused}</td>
              ))}
              <td>{endings.waiting[row.waiting]}</td>
              <td>{endings.working[row.working]}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  )
}
