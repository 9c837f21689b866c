import { Anchor, Button, Skeleton, Text } from '@mantine/core'
import { useState } from 'react'
import { getAccount } from 'schema'
import { Link } from 'wouter'
import { QueryView } from '../../api/query-view.tsx'
import { useLost, useOperationsOfStrip } from '../../api/use-operations.ts'
import { useQuery } from '../../api/use-query.ts'
import { Card } from '../../components/card.tsx'
import { formatCount, formatTimeOfDay } from '../../components/format.ts'
import { StateSign } from '../../components/state-sign.tsx'
import { type Attention, attentionOf } from './attention.ts'
import classes from './overview.module.css'
import * as texts from './texts.ts'
import { useKeys } from './use-keys.ts'

const words = texts.attention
/** More than that push the page out of sight; but a button for two more is not worth it. */
const SHOWN = 8
const SHOWN_MAX = 10

interface AttentionCardProps {
  /** False: what needs attention is not known yet. */
  readonly isKnown: boolean
}

/** What a person should look at, each with the way to where it is mended. */
export function AttentionCard({ isKnown }: AttentionCardProps) {
  const operations = useOperationsOfStrip()
  const keys = useKeys()
  const isLost = useLost(operations) !== null
  const { data: now, readAtMs } = operations
  const nowMs = Date.parse(now?.at ?? '') || Date.now()
  const items = attentionOf(now, keys.data, nowMs)
  return (
    <Card title={words.title(isKnown ? items.length : 0)}>
      {isLost && readAtMs !== null && (
        <Text fz="sm" c="var(--mantine-color-error)">
          {words.old(formatTimeOfDay(readAtMs))}
        </Text>
      )}
      {isKnown ? (
        <>
          <AttentionList items={items} />
          <QueryView query={operations} what={words.reading} loading={<Skeleton height={24} />}>
            {() => (
              <QueryView query={keys} what={words.keys} loading={<Skeleton height={24} />}>
                {() => items.length === 0 && !isLost && <Calm />}
              </QueryView>
            )}
          </QueryView>
        </>
      ) : (
        <Skeleton height={24} />
      )}
      {isKnown && <NoSecondFactor />}
    </Card>
  )
}

/** No alarm: it is not counted, and is below what is. */
function NoSecondFactor() {
  const { data } = useQuery(getAccount)
  // Who signs in at a provider is asked there for what it needs.
  if (data?.factors?.length !== 0 || data.hasPassword === false) return null
  return (
    <Text fz="sm" c="dimmed" mt="sm">
      {words.noFactor}{' '}
      <Anchor component={Link} href="/account" fz="inherit" underline="always">
        {words.addFactor}
      </Anchor>
    </Text>
  )
}

function AttentionList({ items }: { readonly items: readonly Attention[] }) {
  const [isWhole, setWhole] = useState(false)
  if (items.length === 0) return null
  const shown = isWhole || items.length <= SHOWN_MAX ? items : items.slice(0, SHOWN)
  return (
    <>
      <ul className={classes.attention}>
        {shown.map(({ id, sign, what, why, href, linkText }) => (
          <li key={id}>
            <StateSign sign={sign} />
            <span>
              <b>{what}</b>
              <small>{why}</small>
            </span>
            <Anchor component={Link} fz="sm" href={href} aria-label={`${linkText}: ${what}`}>
              {linkText}
            </Anchor>
          </li>
        ))}
      </ul>
      {shown.length < items.length && (
        <Button variant="default" size="xs" mt="sm" onClick={() => setWhole(true)}>
          {words.showAll(formatCount(items.length))}
        </Button>
      )}
    </>
  )
}

function Calm() {
  return (
    <ul className={classes.attention}>
      <li>
        <StateSign sign="good" />
        <span>
          <b>{words.calm}</b>
          <small>{words.calmWhy}</small>
        </span>
      </li>
    </ul>
  )
}
