import { useId } from 'react'
import classes from './code-sample.module.css'
import { CopyButton } from './copy-button.tsx'

interface CodeSampleProps {
  /** Shown above the code, and the name of the copied thing in the toast: "Token request". */
  readonly label: string
  /** Copied exactly as given. */
  readonly code: string
}

/** A sample with a copy button; scrolls sideways in its own box. */
export function CodeSample({ label, code }: CodeSampleProps) {
  const id = useId()
  return (
    <div className={classes.sample}>
      <div className={classes.bar}>
        <span id={id}>{label}</span>
        <CopyButton value={code} label={label} />
      </div>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: a box that scrolls must be reachable by keyboard (WCAG 2.1.1). */}
      <section className={classes.scroll} tabIndex={0} aria-labelledby={id}>
        <pre className={classes.code}>
          <code>{code}</code>
        </pre>
      </section>
    </div>
  )
}
