import {
  CLIENT,
  type OpenIdTestProvider,
  startOpenIdProvider,
} from '../../../gateway/test/support/openid-provider.ts'
import {
  deployLocally,
  type LocalDeployment,
  type LocalDeploymentOptions,
} from './deploy-locally.ts'

export interface DeploymentWithProvider extends LocalDeployment {
  readonly provider: OpenIdTestProvider
}

/** A local deployment whose administrators can sign in at an OpenID Connect provider. */
export async function deployWithProvider(
  options: Omit<LocalDeploymentOptions, 'env'> & {
    readonly env?: Readonly<Record<string, string>>
  },
): Promise<DeploymentWithProvider> {
  let provider: OpenIdTestProvider | undefined
  const deployment = await deployLocally({
    ...options,
    env: async (gatewayUrl) => {
      provider = await startOpenIdProvider({ redirectUri: `${gatewayUrl}/auth/openid/callback` })
      return {
        OIDC_ISSUER: provider.issuer,
        OIDC_CLIENT_ID: CLIENT.id,
        OIDC_CLIENT_SECRET: CLIENT.secret,
        OIDC_NAME: 'Example ID',
        OIDC_ROLES: 'admin=sluice-admins,operator=sluice-operators,viewer=staff',
        GATEWAY_URL: gatewayUrl,
        ...options.env,
      }
    },
  })
  if (provider === undefined) throw new Error('The deployment asked for no settings')
  const { close } = provider
  return {
    ...{ ...deployment, provider },
    close: async () => {
      await deployment.close()
      await close()
    },
  }
}
