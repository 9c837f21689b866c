import { Anchor, Button, Group } from '@mantine/core'
import { type ReactNode, useState } from 'react'
import { Link, useLocation } from 'wouter'
import classes from './attention-list.module.css'
import { formatCount, formatDateTime, formatRoughly } from './format.ts'
import * as texts from './page-texts.ts'
import { MiddleCut } from './short-text.tsx'
import { type Sign, StateSign } from './signs.tsx'

/** One thing that a person should look at, or several that are equal. */
export interface AttentionItem {
  readonly id: string
  readonly sign: Sign
  /** Whose it is: a client, an exchange, a part of the machine. Of several, of the first. */
  readonly subject: string
  /** What is wrong, in at most 80 characters. */
  readonly what: string
  readonly since: string | null
  readonly count: number
  /** Where it is mended. */
  readonly href: string
  readonly linkText: string
  /** Each that is meant, with all that is known of it. */
  readonly about: readonly {
    readonly subject: string
    readonly why: string
    readonly href: string
  }[]
}

interface AttentionListProps {
  /** The most urgent first. */
  readonly items: readonly AttentionItem[]
  /** The gateway's time, which ages are counted from. */
  readonly nowMs: number
  /** How many are shown until somebody wants to see all. */
  readonly shownMax?: number
  /** A quiet line below. */
  readonly children?: ReactNode
}

/** What needs attention, a line each. */
export function AttentionList({ items, nowMs, shownMax = 4, children }: AttentionListProps) {
  const [isWhole, setWhole] = useState(false)
  return (
    <>
      {items.length > 0 && (
        <ul className={classes.list}>
          {(isWhole ? items : items.slice(0, shownMax)).map((item) => (
            <Line key={item.id} item={item} nowMs={nowMs} />
          ))}
        </ul>
      )}
      <Group gap="sm" justify="space-between">
        {!isWhole && items.length > shownMax && (
          <Button variant="subtle" size="compact-sm" onClick={() => setWhole(true)}>
            {texts.showAll(formatCount(items.length))}
          </Button>
        )}
        {children}
      </Group>
    </>
  )
}

function Line({ item, nowMs }: { readonly item: AttentionItem; readonly nowMs: number }) {
  const { sign, subject, what, since, count, about, linkText } = item
  const [isOpen, setOpen] = useState(false)
  return (
    <li>
      <details onToggle={({ currentTarget }) => setOpen(currentTarget.open)}>
        <summary title={about.length === 1 ? about[0]?.why : undefined}>
          <StateSign sign={sign} />
          <b title={subject}>
            <MiddleCut text={subject} />
            {about.length > 1 && ` ${texts.andMore(formatCount(about.length - 1))}`}
          </b>
          <span className={classes.what}>
            {what}
            {count > 1 && ` ${texts.times(formatCount(count))}`}
          </span>
          {since !== null && (
            <time dateTime={since} title={formatDateTime(since)}>
              {formatRoughly(Math.max(0, nowMs - Date.parse(since)))}
            </time>
          )}
        </summary>
        {isOpen && (
          <ul className={classes.about}>
            {about.map((each) => (
              <li key={`${each.href} ${each.subject}`}>
                {about.length > 1 && <To href={each.href}>{each.subject}</To>} {each.why}
              </li>
            ))}
          </ul>
        )}
      </details>
      <To href={item.href} label={`${linkText}: ${subject}, ${what}`}>
        {linkText}
      </To>
    </li>
  )
}

interface ToProps {
  readonly href: string
  readonly label?: string
  readonly children: string
}

/** Nothing, where a person is there already. */
function To({ href, label, children }: ToProps) {
  const [path] = useLocation()
  const [target, part] = href.split('#')
  if (target === path && part === undefined) return null
  const name = label === undefined ? {} : { 'aria-label': label }
  // The browser scrolls to a part of the page that it shows.
  return target === path ? (
    <Anchor fz="inherit" href={`#${part}`} {...name}>
      {children}
    </Anchor>
  ) : (
    <Anchor
      component={Link}
      fz="inherit"
      underline={label ? 'hover' : 'always'}
      href={href}
      {...name}
    >
      {children}
    </Anchor>
  )
}
