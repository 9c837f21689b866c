import classes from './state-sign.module.css'

const SHAPES = {
  good: 'M6 1a5 5 0 1 0 0 10A5 5 0 1 0 6 1z',
  waiting: 'M2 1h3v10h-3zM7 1h3v10h-3z',
  bad: 'M6 0.5 12 11.5H0z',
  off: 'M1 1h10v10H1z',
} as const

export type Sign = keyof typeof SHAPES

/** A state as a shape and a colour; the words beside it say it too. */
export function StateSign({ sign }: { readonly sign: Sign }) {
  return (
    <svg
      width="12"
      height="12"
      viewBox="0 0 12 12"
      aria-hidden="true"
      className={classes.sign}
      data-sign={sign}
    >
      <path d={SHAPES[sign]} fill="currentColor" />
    </svg>
  )
}
