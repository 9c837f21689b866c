import classes from './middle-cut.module.css'
import { visible } from './shorten.ts'

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
