import { Tooltip } from '@mantine/core'
import classes from './explained-text.module.css'

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
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: the explanation must be readable by keyboard too. */}
      <span tabIndex={0} role="note" className={classes.explained} data-alarming={isAlarming}>
        {text}
      </span>
    </Tooltip>
  )
}
