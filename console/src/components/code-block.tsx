import { Group, Paper, Text } from '@mantine/core'
import { type ReactNode, useId, useMemo } from 'react'
import { create } from 'zustand'
import { persist } from 'zustand/middleware'
import classes from './code-block.module.css'
import { CopyButton } from './copy.tsx'

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
    <Paper
      component="figure"
      withBorder
      bg="var(--sluice-canvas)"
      m={0}
      style={{ overflow: 'hidden' }}
      aria-labelledby={id}
    >
      <Group
        component="figcaption"
        justify="space-between"
        wrap={actions === undefined ? 'nowrap' : 'wrap'}
        gap={4}
        mih={36}
        p="2px 4px 2px 12px"
        style={{ borderBottom: '1px solid var(--mantine-color-default-border)' }}
      >
        <Text
          component="span"
          id={id}
          fz="xs"
          fw={600}
          truncate
          // Below 284 px three languages get a line of their own.
          flex="1 1 60px"
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
    </Paper>
  )
}

/** The text as it is, in colours. */
export function Coloured({ code, language }: Pick<CodeBlockProps, 'code' | 'language'>) {
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

/** Chooses the language of all samples. Plain buttons: they stand on every page. */
export function LanguageSwitch({ label }: { readonly label: string }) {
  const { language } = useCodeLanguage()
  return (
    <Group component="fieldset" gap={2} wrap="nowrap" m={0} p={0} bd={0} miw={0} aria-label={label}>
      {codeLanguages.map(({ value, label: name }) => (
        <button
          key={value}
          type="button"
          className={classes.language}
          aria-pressed={value === language}
          onClick={() => chooseCodeLanguage(value)}
        >
          {name}
        </button>
      ))}
    </Group>
  )
}

export const CODE_LANGUAGES = ['curl', 'javascript', 'python'] as const
export type CodeLanguage = (typeof CODE_LANGUAGES)[number]

/** The languages with their names, as choices. */
export const codeLanguages = [
  { value: 'curl', label: 'curl' },
  { value: 'javascript', label: 'JavaScript' },
  { value: 'python', label: 'Python' },
] as const satisfies readonly { readonly value: CodeLanguage; readonly label: string }[]

/** How a language is coloured. */
export const colouringOf = { curl: 'shell', javascript: 'javascript', python: 'python' } as const

/** The language that samples are shown in, chosen once for all of them and kept by the browser. */
export const useCodeLanguage = create<{ readonly language: CodeLanguage }>()(
  persist(() => ({ language: 'curl' as CodeLanguage }), {
    name: 'sluice.code-language',
    // Storage can hold what another version wrote.
    merge: (stored, { language }) => ({
      language: CODE_LANGUAGES.find((each) => each === Object(stored).language) ?? language,
    }),
  }),
)

export function chooseCodeLanguage(language: CodeLanguage): void {
  useCodeLanguage.setState({ language })
}

export type Language = 'json' | 'shell' | 'javascript' | 'python' | 'plain'
type TokenKind = 'key' | 'string' | 'number' | 'literal' | 'flag' | 'comment' | 'plain'

interface Token {
  readonly kind: TokenKind
  readonly text: string
}

// Named groups are the kinds; what no group takes is plain.
const RULES: Record<Exclude<Language, 'plain'>, RegExp> = {
  json: /(?<key>"(?:[^"\\\n]|\\.)*"(?=\s*:))|(?<string>"(?:[^"\\\n]|\\.)*")|(?<number>-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?)|(?<literal>\b(?:true|false|null)\b)/g,
  shell:
    /(?<comment>(?<=^|\s)#.*)|(?<string>'[^']*'|"(?:[^"\\]|\\.)*")|(?<flag>(?<=\s)--?[A-Za-z][\w-]*)|(?<key>^(?:curl|export)\b)/gm,
  javascript:
    /(?<comment>\/\/.*|\/\*[\s\S]*?\*\/)|(?<string>'(?:[^'\\\n]|\\.)*'|"(?:[^"\\\n]|\\.)*"|`(?:[^`\\]|\\.)*`)|(?<key>\b(?:async|await|class|const|export|extends|from|function|if|import|let|new|return|throw)\b)|(?<literal>\b(?:true|false|null|undefined)\b)|(?<number>\b\d[\d_.]*\b)/g,
  python:
    /(?<comment>#.*)|(?<string>f?"""[\s\S]*?"""|f?"(?:[^"\\\n]|\\.)*"|"(?:[^"\\\n]|\\.)*"|'(?:[^'\\\n]|\\.)*')|(?<key>\b(?:class|def|for|from|global|if|import|in|not|or|raise|return)\b)|(?<literal>\b(?:True|False|None)\b)|(?<number>\b\d[\d_.]*\b)/g,
}

/**
 * Cuts code into coloured pieces; put together again they are the text, character for character.
 */
export function tokenize(text: string, language: Language): Token[] {
  if (language === 'plain') return [{ kind: 'plain', text }]
  const tokens: Token[] = []
  let end = 0
  for (const match of text.matchAll(RULES[language])) {
    if (match.index > end) tokens.push({ kind: 'plain', text: text.slice(end, match.index) })
    const [kind] = Object.entries(match.groups ?? {}).find(([, found]) => found !== undefined) ?? []
    // The names of the groups above.
    tokens.push({ kind: kind as TokenKind, text: match[0] })
    end = match.index + match[0].length
  }
  if (end < text.length) tokens.push({ kind: 'plain', text: text.slice(end) })
  return tokens
}
