import { Anchor, Code, Text, Tooltip } from '@mantine/core'
import { Link } from 'wouter'
import { Icon } from './icons.tsx'
import classes from './short-text.module.css'
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

// Longer text is shown as its first and last five characters (console-checklist.md, 100).
const LENGTH_MAX = 30
const KEPT = 5

/** The dots of everything shortened, everywhere the same. */
export const DOTS = '...'

/** What nobody sees, or what turns the direction of the text after it. */
const HIDDEN = /[\p{Cc}\p{Cf}\p{Co}]/gu

/** A text with the names of its hidden characters in their place. */
function visible(text: string): string {
  return text.replace(HIDDEN, (found) => {
    const code = (found.codePointAt(0) ?? 0).toString(16).toUpperCase()
    return `[U+${code.padStart(4, '0')}]`
  })
}

/** Whether an id may look like another one. The gateway takes no new one like that. */
function isDeceptive(text: string): boolean {
  const scripts = [/\p{Script=Latin}/u, /\p{Script=Cyrillic}/u, /\p{Script=Greek}/u]
  return visible(text) !== text || scripts.filter((script) => script.test(text)).length > 1
}

/** Text of more than 30 characters as its first 5, dots, its last 5. */
export function shorten(text: string): string {
  const whole = visible(text)
  return whole.length > LENGTH_MAX ? `${whole.slice(0, KEPT)}${DOTS}${whole.slice(-KEPT)}` : whole
}

/** Ends of ids differ, beginnings often do not. */
const END = 8

/** A text that is cut in its middle when there is no room for the whole of it. */
export function MiddleCut({ text: all }: { readonly text: string }) {
  const text = visible(all)
  if (text.length <= 2 * END) return text
  return (
    <span className={classes.text}>
      <span className={classes.start}>{text.slice(0, -END)}</span>
      <span>{text.slice(-END)}</span>
    </span>
  )
}

interface ExplainedTextProps {
  readonly text: string
  /** One sentence. */
  readonly explanation: string
  /** Shows it in the colour of errors. */
  readonly isAlarming?: boolean
}

/**
 * A quiet line below what it is about; its explanation appears on hover, on touch and on keyboard
 * focus.
 */
export function ExplainedText({ text, explanation, isAlarming = false }: ExplainedTextProps) {
  return (
    // In the page's landmark, not beside it.
    <Tooltip label={explanation} withinPortal={false}>
      <Text
        component="span"
        // The explanation must be readable by keyboard too.
        tabIndex={0}
        role="note"
        display="block"
        w="fit-content"
        mt={2}
        fz="xs"
        c={isAlarming ? 'var(--mantine-color-error)' : 'dimmed'}
        td="underline dotted"
        style={{ textUnderlineOffset: 3, whiteSpace: 'nowrap', cursor: 'help' }}
      >
        {text}
      </Text>
    </Tooltip>
  )
}

/** A sentence in which `backticks` mark code, as the catalogue writes them. */
export function InlineCode({ text }: { readonly text: string }) {
  const parts = text.split('`')
  return parts.map((part, index) =>
    // Every second part stood between backticks.
    index % 2 === 1 ? (
      // biome-ignore lint/suspicious/noArrayIndexKey: the parts of one sentence never move.
      <Code key={index}>{part}</Code>
    ) : (
      part
    ),
  )
}
