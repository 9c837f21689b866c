import { Code } from '@mantine/core'

/** A sentence in which `backticks` mark code, as the catalogue writes them. */
export function InlineCode({ text }: { readonly text: string }) {
  const parts = text.split('`')
  return parts.map((part, index) =>
    // Every second part stood between backticks.
    index % 2 === 1 ? (
      // biome-ignore lint/suspicious/noArrayIndexKey: the parts of one sentence never move.
      <Code key={index}>{part}</Code>
    ) : (
      part
    ),
  )
}
