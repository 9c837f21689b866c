import type { Endpoint } from 'schema'
import { CodeBlock } from '../components/code-block.tsx'
import { colouringOf, useCodeLanguage } from '../components/code-language.ts'
import { LanguageSwitch } from '../components/language-switch.tsx'
import type { CallInput } from './client.ts'
import { codeOf } from './code-of.ts'
import type { CurlOptions } from './curl.ts'
import * as texts from './texts.ts'

interface RequestSampleProps extends CurlOptions {
  readonly title: string
  /** What the copy button copies; the title when absent. */
  readonly label?: string
  readonly endpoint: Endpoint
  readonly input: CallInput
}

/** A request as a command or program, in the language that was chosen for all samples. */
export function RequestSample({ title, label, endpoint, input, ...options }: RequestSampleProps) {
  const { language } = useCodeLanguage()
  return (
    <CodeBlock
      title={title}
      label={label ?? title}
      language={colouringOf[language]}
      code={codeOf(language, endpoint, input, options)}
      actions={<LanguageSwitch label={texts.language(label ?? title)} />}
    />
  )
}
