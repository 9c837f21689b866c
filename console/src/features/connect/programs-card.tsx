import { Stack } from '@mantine/core'
import { botSnippets, type CodeLanguage, type ExchangeCode } from 'schema'
import { gatewayUrl } from '../../api/gateway-url.ts'
import { Card } from '../../components/card.tsx'
import { CodeBlock } from '../../components/code-block.tsx'
import { colouringOf } from '../../components/code-language.ts'

interface ProgramsCardProps {
  readonly title: string
  readonly description: string
  /** Null: what the programs for both build on. */
  readonly exchange: ExchangeCode | null
  readonly language: CodeLanguage
}

/** The programs of one exchange in one language, each with the file that it is to be saved as. */
export function ProgramsCard({ title, description, exchange, language }: ProgramsCardProps) {
  const programs = botSnippets({ gatewayUrl: gatewayUrl() }).filter(
    (snippet) => snippet.language === language && snippet.exchange === exchange,
  )
  return (
    <Card title={title} description={description}>
      <Stack gap="md">
        {programs.map(({ id, title: what, file, code }) => (
          <CodeBlock
            key={id}
            title={`${what}: ${file}`}
            label={file}
            language={colouringOf[language]}
            code={code}
          />
        ))}
      </Stack>
    </Card>
  )
}
