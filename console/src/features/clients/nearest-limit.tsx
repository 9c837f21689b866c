import type { ListedClient } from 'schema'
import { limitNames } from '../../api/exchange-texts.ts'
import { Icon } from '../../components/icons.tsx'
import classes from './client-list.module.css'
import { nearness } from './limit-use.ts'
import * as limitsTexts from './limits-texts.ts'

export type Nearest = NonNullable<ListedClient['nearestLimit']>

const { near, reached } = limitsTexts.usage

/** The limit of which most is used, quietly while there is room. */
export function NearestLimit({ limit, percent }: Nearest) {
  const state = nearness(percent)
  const words = `${limitNames[limit]} ${percent} %`
  return (
    <span className={classes.nearest} data-state={state}>
      {state !== 'free' && <Icon name={state === 'near' ? 'alert' : 'ban'} size={14} />}
      {words}
      {state === 'near' && `, ${near.toLowerCase()}`}
      {state === 'reached' && `, ${reached.toLowerCase()}`}
    </span>
  )
}
