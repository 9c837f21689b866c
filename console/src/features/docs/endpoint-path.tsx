import type { Endpoint } from 'schema'
import { CopyButton } from '../../components/copy-button.tsx'
import { MethodTag } from '../../components/tag.tsx'
import classes from './docs.module.css'
import * as texts from './texts.ts'

/** Method and path of an endpoint, and who may call it. */
export function EndpointPath({ endpoint: { method, path, access } }: { endpoint: Endpoint }) {
  return (
    <div className={classes.path}>
      <MethodTag method={method} />
      <code>{path}</code>
      <CopyButton value={path} label={texts.path} name={texts.copyPath(path)} />
      <span className={classes.dim}>{texts.access[access]}</span>
    </div>
  )
}
