import type { Endpoint } from 'schema'
import { CopyButton } from '../../components/copy-button.tsx'
import { MethodTag } from '../../components/tag.tsx'
import classes from './docs.module.css'

const ACCESS = {
  public: 'no token required',
  admin: 'administrators',
  client: 'bearer token of a client',
} as const

/** Method and path of an endpoint, and who may call it. */
export function EndpointPath({ endpoint: { method, path, access } }: { endpoint: Endpoint }) {
  return (
    <div className={classes.path}>
      <MethodTag method={method} />
      <code>{path}</code>
      <CopyButton value={path} label="Path" name={`Copy path ${path}`} />
      <span className={classes.dim}>{ACCESS[access]}</span>
    </div>
  )
}
