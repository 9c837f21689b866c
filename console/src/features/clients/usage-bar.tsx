import type { LimitUsage, LimitUse } from 'schema'
import { Icon } from '../../components/icons.tsx'
import { formatUse, nearness } from './limit-use.ts'
import * as limitsTexts from './limits-texts.ts'
import classes from './usage-bar.module.css'

const { names, near, reached } = limitsTexts.usage

interface UsageBarProps {
  readonly use: LimitUse
  readonly usage: LimitUsage
  /** It refuses nothing: it is neither near nor reached. */
  readonly isShadow: boolean
}

/** One limit: how much of it is used, in numbers, as a bar, and in a word when it runs out. */
export function UsageBar({ use, usage, isShadow }: UsageBarProps) {
  const { limit, used, allowed, percent } = use
  const id = `usage-${limit}`
  const state = isShadow ? 'free' : nearness(percent)
  const numbers = formatUse(use, usage)
  return (
    <div className={classes.usage} data-state={state}>
      <div className={classes.line}>
        <span id={id}>{names[limit]}</span>
        <span className={classes.numbers}>{numbers}</span>
      </div>
      {allowed !== null && percent !== null && (
        // biome-ignore lint/a11y/useSemanticElements: browsers draw a <meter> their own way, without stripes.
        <div
          role="meter"
          aria-labelledby={id}
          aria-valuemin={0}
          aria-valuemax={allowed}
          aria-valuenow={Math.min(used, allowed)}
          aria-valuetext={`${numbers}, ${percent} %`}
          className={classes.track}
        >
          <div className={classes.fill} style={{ width: `${Math.min(percent, 100)}%` }} />
        </div>
      )}
      {percent !== null && (
        <div className={classes.line}>
          <span className={classes.word}>
            {state !== 'free' && <Icon name={state === 'near' ? 'alert' : 'ban'} size={14} />}
            {state === 'near' && near}
            {state === 'reached' && reached}
          </span>
          <span>{`${percent} %`}</span>
        </div>
      )}
    </div>
  )
}
