import { Group, Text } from '@mantine/core'
import { type ReactNode, useId, useMemo } from 'react'
import classes from './code-block.module.css'
import { CopyButton } from './copy-button.tsx'
import { type Language, tokenize } from './tokenize.ts'

/** Colouring costs an element per token; a longer text is shown plain. */
const COLOURED_LENGTH_MAX = 100_000

interface CodeBlockProps {
  readonly title: ReactNode
  readonly code: string
  readonly language: Language
  /** What the copy button copies, as its toast says it: "Token request". */
  readonly label: string
  /** Beside the copy button. */
  readonly actions?: ReactNode
}

/** A sample with its title and a copy button; copies exactly what it shows. */
export function CodeBlock({ title, code, language, label, actions }: CodeBlockProps) {
  const id = useId()
  return (
    <figure className={classes.block} aria-labelledby={id}>
      <Group
        component="figcaption"
        className={classes.bar}
        justify="space-between"
        wrap={actions === undefined ? 'nowrap' : 'wrap'}
        gap="xs"
      >
        <Text
          component="span"
          id={id}
          fz="xs"
          fw={600}
          className={classes.title}
          title={typeof title === 'string' ? title : undefined}
        >
          {title}
        </Text>
        <Group gap={4} wrap="nowrap">
          {actions}
          <CopyButton value={code} label={label} />
        </Group>
      </Group>
      <pre className={classes.code}>
        <Coloured code={code} language={language} />
      </pre>
    </figure>
  )
}

interface ColouredProps {
  readonly code: string
  readonly language: Language
}

/** The text as it is, in colours. */
export function Coloured({ code, language }: ColouredProps) {
  const tokens = useMemo(
    () => tokenize(code, code.length > COLOURED_LENGTH_MAX ? 'plain' : language),
    [code, language],
  )
  let at = 0
  return (
    <code>
      {tokens.map(({ kind, text }) => {
        const key = at
        at += text.length
        return kind === 'plain' ? (
          text
        ) : (
          <span key={key} className={classes[kind]}>
            {text}
          </span>
        )
      })}
    </code>
  )
}
