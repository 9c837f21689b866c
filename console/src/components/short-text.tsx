import { Anchor, Tooltip } from '@mantine/core'
import { Link } from 'wouter'
import { Icon } from './icons.tsx'
import { MiddleCut } from './middle-cut.tsx'
import { isDeceptive, shorten } from './shorten.ts'
import * as texts from './texts.ts'

interface ShortTextProps {
  readonly text: string
  /** Makes it a link. */
  readonly href?: string
}

/**
 * An id in one line. One of more than 30 characters is shortened, a shorter one is cut in its
 * middle where it has no room; then the whole of it appears on hover and on keyboard focus. One
 * that may look like another is marked.
 */
export function ShortText({ text, href }: ShortTextProps) {
  const short = shorten(text)
  const isWhole = short === text
  const shown = isWhole ? <MiddleCut text={text} /> : short
  return (
    <>
      <Tooltip label={text} style={{ overflowWrap: 'anywhere' }}>
        {href === undefined ? (
          <span {...(isWhole ? {} : { tabIndex: 0, role: 'note', 'aria-label': text })}>
            {shown}
          </span>
        ) : (
          <Anchor
            component={Link}
            href={href}
            fw="inherit"
            // Named as it reads, for people who speak to the browser, and then whole.
            aria-label={isWhole ? text : `${short}, ${text}`}
          >
            {shown}
          </Anchor>
        )}
      </Tooltip>
      {isDeceptive(text) && (
        <span role="img" aria-label={texts.deceptive} title={texts.deceptive}>
          <Icon name="alert" size={14} />
        </span>
      )}
    </>
  )
}
