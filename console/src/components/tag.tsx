import classes from './tag.module.css'

export type TagColour = 'blue' | 'green' | 'yellow' | 'red' | 'gray'

interface TagProps {
  readonly colour: TagColour
  readonly children: string | number
}

/**
 * A badge of one plain element: lists hold thousands, and a component for each slows their
 * scrolling.
 */
export function Tag({ colour, children }: TagProps) {
  return (
    <span className={classes.tag} data-colour={colour}>
      {children}
    </span>
  )
}

// Colours of the methods (docs/console-checklist.md, 178).
const METHODS: Readonly<Record<string, TagColour>> = {
  GET: 'blue',
  POST: 'green',
  PUT: 'yellow',
  DELETE: 'red',
}

export function MethodTag({ method }: { readonly method: string }) {
  return <Tag colour={METHODS[method] ?? 'gray'}>{method}</Tag>
}

export function StatusTag({ status }: { readonly status: number }) {
  return <Tag colour={statusColour(status)}>{status}</Tag>
}

function statusColour(status: number): TagColour {
  if (status >= 200 && status <= 299) return 'green'
  if (status >= 400 && status <= 499) return 'yellow'
  if (status >= 500 && status <= 599) return 'red'
  return 'gray'
}
