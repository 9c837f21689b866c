import { Anchor, Tooltip } from '@mantine/core'
import { Link } from 'wouter'
import { shorten } from './shorten.ts'

interface ShortTextProps {
  readonly text: string
  /** Makes it a link. */
  readonly href?: string
}

/** An id, shortened when long; then the whole of it appears on hover and on keyboard focus. */
export function ShortText({ text, href }: ShortTextProps) {
  const short = shorten(text)
  if (short === text) return <span style={{ overflowWrap: 'anywhere' }}>{linked(text, href)}</span>
  return (
    <Tooltip label={text} style={{ overflowWrap: 'anywhere' }}>
      {href === undefined ? (
        // biome-ignore lint/a11y/noNoninteractiveTabindex: the whole text must be readable by keyboard too.
        <span tabIndex={0} role="note" aria-label={text}>
          {short}
        </span>
      ) : (
        // Named as it reads, for people who speak to the browser, and then whole.
        <Anchor component={Link} href={href} fw="inherit" aria-label={`${short}, ${text}`}>
          {short}
        </Anchor>
      )}
    </Tooltip>
  )
}

function linked(text: string, href: string | undefined) {
  if (href === undefined) return text
  return (
    <Anchor component={Link} href={href} fw="inherit">
      {text}
    </Anchor>
  )
}
