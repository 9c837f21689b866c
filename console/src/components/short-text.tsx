import { Tooltip } from '@mantine/core'
import { shorten } from './shorten.ts'

/** An id, shortened when long; then the whole of it appears on hover and on keyboard focus. */
export function ShortText({ text }: { readonly text: string }) {
  const short = shorten(text)
  if (short === text) return <span style={{ overflowWrap: 'anywhere' }}>{text}</span>
  return (
    <Tooltip label={text} style={{ overflowWrap: 'anywhere' }}>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: the whole text must be readable by keyboard too. */}
      <span tabIndex={0} role="note" aria-label={text}>
        {short}
      </span>
    </Tooltip>
  )
}
