import { Stack } from '@mantine/core'
import { gatewayUrl } from '../../api/gateway-url.ts'
import { Card } from '../../components/card.tsx'
import { CodeBlock } from '../../components/code-block.tsx'
import { type CodeLanguage, colouringOf } from '../../components/code-language.ts'
import { type ProgramGroup, programsOf } from './programs.ts'

interface ProgramsCardProps {
  readonly title: string
  readonly description: string
  readonly group: ProgramGroup
  readonly language: CodeLanguage
}

/** The programs of one group in one language, each with the file name to save it under. */
export function ProgramsCard({ title, description, group, language }: ProgramsCardProps) {
  return (
    <Card title={title} description={description}>
      <Stack gap="md">
        {programsOf(language, group, gatewayUrl()).map(({ title: what, file, code }) => (
          <CodeBlock
            key={file}
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
